// Learners of several classes side by side in one bank: learner i of the c-th of them is lane c L + i of it.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/archive.hpp"
#include "engine/parameters.hpp"
#include "engine/random.hpp"

namespace onlineboost {

// Where the lanes start: each as learner i of a bank with the seed of its class.
struct LaneSeeds {
    std::uint64_t seed;
    std::size_t lanes = 0;  // of a class; 0: all are of one, whose seed it is
    std::size_t first = 0;  // class
    bool turned = false;    // the second class goes on with a copy of the first

    static LaneSeeds from(const Parameters& p) {
        if (!p.has("class_lanes")) return {p.whole("seed")};
        return {p.whole("seed"), p.count("class_lanes"), p.count("first_class"), p.flag("turned")};
    }
    double start(std::size_t i, std::uint64_t feature) const {
        if (lanes == 0) return start_coordinate(seed, i, feature);
        const std::size_t k = first + i / lanes;
        return start_coordinate(class_seed(seed, turned && k == 1 ? 0 : k), i % lanes, feature);
    }
};

// The state of such a bank as a state of its own for each class.
class LanesArchive final : public Archive {
   public:
    LanesArchive(std::vector<Archive*> classes, std::size_t lanes) : classes_(std::move(classes)), lanes_(lanes) {}
    bool loading() const override { return classes_[0]->loading(); }
    bool has(const std::string& name) const override { return classes_[0]->has(name); }
    void numbers(const std::string& name, double* values, std::size_t size) override {
        require(size);
        for (std::size_t c = 0; c < classes_.size(); ++c) classes_[c]->numbers(name, values + c * lanes_, lanes_);
    }
    void integers(const std::string&, std::vector<std::int64_t>&) override { require(0); }
    void table(const std::string& name, Table& table, std::size_t learners, std::size_t rows) override {
        require(learners);
        for (std::size_t c = 0; c < classes_.size(); ++c) {
            Table part(Layout(lanes_).stride);
            const auto copy = [&](auto from_whole) {
                for (std::size_t r = 0; r < rows; ++r) {
                    double *whole = table.row(r) + c * lanes_, *own = part.row(r);
                    std::copy_n(from_whole ? whole : own, lanes_, from_whole ? own : whole);
                }
            };
            if (!loading()) {
                while (part.rows() < rows) part.append();
                copy(true);
            }
            classes_[c]->table(name, part, lanes_, rows);
            if (!loading()) continue;
            while (table.rows() < rows) table.append();
            copy(false);
        }
    }

   private:
    // There is room for classes to come, too.
    void require(std::size_t learners) const {
        if (learners < classes_.size() * lanes_ || learners % lanes_ != 0)
            throw std::logic_error("this bank has a state that is not its learners' own");
    }

    std::vector<Archive*> classes_;
    std::size_t lanes_;
};

}  // namespace onlineboost
