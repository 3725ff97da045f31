// Learners that forget: what they know of a row is worth half after so many rows that were learned later, whatever the
// weights of these were.
#pragma once
#include <initializer_list>

#include "engine/archive.hpp"
#include "engine/math.hpp"
#include "engine/parameters.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

constexpr double kLogTwo = 0.69314718055994531;

// What a row leaves of a sum, to a power; 1 where nothing is forgotten.
inline double kept_share(const Parameters& p, double power = 1.0) {
    return p.has("half_life") ? math::exp_fixed(-power * kLogTwo / p.number("half_life")) : 1.0;
}

inline void multiply(Table& table, double factor) {
    for (std::size_t r = 0; r < table.rows(); ++r)
        for (std::size_t i = 0; i < table.stride(); ++i) table.row(r)[i] *= factor;
}

// The weights that learners have seen, and tables of sums over them, after another row. What has become negligible is
// nothing.
inline void fade(double kept, Vector& totals, std::initializer_list<Table*> tables) {
    const auto faded = [kept](double sum) { return sum * kept < kNegligible ? 0.0 : sum * kept; };
    for (std::size_t i = 0; i < totals.size(); ++i) {
        const double before = totals[i];
        totals[i] = faded(before);
        if (before > 0.0 && totals[i] == 0.0)
            for (Table* table : tables) table->fill_column(i, 0.0);
    }
    for (Table* table : tables)
        for (std::size_t r = 0; r < table->rows(); ++r)
            for (std::size_t i = 0; i < table->stride(); ++i) table->row(r)[i] = faded(table->row(r)[i]);
}

// A sum that forgets, by a scale that grows in place of sums that shrink: new terms are multiplied by it. Before it
// leaves the range of numbers, it and the sums are divided by a power of two, which rounds nothing.
class GrowingScale {
   public:
    explicit GrowingScale(double kept) : growth_(1.0 / kept) {}
    bool grows() const { return growth_ > 1.0; }
    double now() const { return scale_; }
    // Another row; whether the sums are to be multiplied by kShrink, to the power that the scale has in them.
    bool grow() {
        scale_ *= growth_;
        if (scale_ < 1.0 / kShrink) return false;
        scale_ *= kShrink;
        return true;
    }
    void serialise(Archive& archive) {
        if (grows()) archive.numbers("growth", &scale_, 1, 1.0, 1.0 / kShrink);
    }
    static constexpr double kShrink = 0x1p-32;

   private:
    double growth_, scale_ = 1.0;
};

}  // namespace onlineboost
