// Features scaled by running statistics before the bank inside sees them.
//
// The statistics of a row's own round take part in its scaling, for a prediction as if it were going to be learned. So
// a row has one scaled form, before and after its label is known.
#pragma once
#include "learners/wrapper.hpp"

namespace onlineboost {

class ScaledBank final : public WrapperBank {
   public:
    enum class Method { kStandard, kMaxAbs };
    ScaledBank(std::unique_ptr<Bank> inner, Method method, double clip);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    std::unique_ptr<Scratch> make_scratch() const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;
    std::size_t most_features() const override { return inner_->most_features(); }
    std::string limit() const override { return inner_->limit(); }

   private:
    struct Own;
    struct Entry {
        FeatureId id;
        std::int32_t slot;
        double value;
    };
    // Of one feature over all rows that were learned; those in which it was absent count as 0.
    struct Statistics {
        double rows = 0.0;                 // that were summed up already, the last of them with the feature present
        double mean = 0.0, squares = 0.0;  // and the sum of squared deviations
        double present = 0.0;
        double largest = 0.0;
    };
    void add_zeros(Statistics& s, double rows) const;
    Statistics with(const Statistics& s, double value) const;
    double scaled(const Statistics& s, double value) const;
    bool centred(const Statistics& s, double rows) const;
    void change(Scratch& scratch, Row& row) const override;

    Method method_;
    double clip_;
    double rows_ = 0.0;                   // learned
    std::vector<Statistics> statistics_;  // of each slot
    std::vector<FeatureId> ids_;          // of each slot
};

}  // namespace onlineboost
