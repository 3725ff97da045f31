// Earlier values of OSBoost's sums, at ages that grow geometrically: what a certificate of the last n examples is the
// difference to. Taken after every kEvery examples; one after a multiple of kEvery 2^k examples, but not of twice that,
// is kept until it is kKept kEvery 2^k examples old. So there are at most kKept for every k, and for every n one that
// is at least n and less than (1 + 2 / kKept) n + kEvery examples old.
#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/archive.hpp"

namespace onlineboost {

class Checkpoints {
   public:
    explicit Checkpoints(std::size_t learners) : width_(6 * learners + 3) {}

    // After so many examples; `sums` writes them to an archive.
    template <class F>
    void learned(std::uint64_t examples, F sums) {
        if (examples % kEvery != 0) return;
        const auto now = static_cast<std::int64_t>(examples);
        std::erase_if(kept_, [now](const Checkpoint& one) {
            const std::int64_t steps = one.examples / kEvery;
            return now - one.examples >= kKept * kEvery * (steps & -steps);
        });
        Picked picked(width_);
        sums(picked);
        picked.values.resize(width_, 0.0);  // a vote without a loss
        kept_.push_back({now, std::move(picked.values)});
    }

    void serialise(Archive& archive) {
        std::vector<std::int64_t> examples;
        std::vector<double> values;
        for (const Checkpoint& one : kept_) {
            examples.push_back(one.examples);
            values.insert(values.end(), one.values.begin(), one.values.end());
        }
        archive.integers("checkpoint_examples", examples);
        Archive::check(examples.size() <= kMost, "checkpoint_examples");
        values.resize(examples.size() * width_);
        archive.numbers("checkpoint_sums", values.data(), values.size());
        if (!archive.loading()) return;
        kept_.clear();
        for (std::size_t k = 0; k < examples.size(); ++k) {
            const std::int64_t before = k == 0 ? 0 : examples[k - 1];
            Archive::check(examples[k] > before && examples[k] <= Archive::kLargestCount && examples[k] % kEvery == 0,
                           "checkpoint_examples");
            const auto from = values.begin() + static_cast<std::ptrdiff_t>(k * width_);
            kept_.push_back({examples[k], std::vector<double>(from, from + static_cast<std::ptrdiff_t>(width_))});
        }
    }

   private:
    static constexpr std::int64_t kEvery = 64, kKept = 4;
    static constexpr std::size_t kMost = 64 * kKept;
    struct Checkpoint {
        std::int64_t examples;
        std::vector<double> values;
    };
    // Of what is written to it: the sums that a window needs, in the order in which they come.
    struct Picked final : Archive {
        explicit Picked(std::size_t width) { values.reserve(width); }
        bool loading() const override { return false; }
        bool has(const std::string&) const override { return true; }
        void numbers(const std::string& name, double* from, std::size_t size) override {
            static const std::array<std::string, 10> names{
                "weight_mass",     "weight_squares", "weighted_edges", "margin_shortfalls", "margin_errors",
                "prefix_mistakes", "vote_mistakes",  "ocp_loss",       "eg_loss",           "expected_mistakes"};
            if (std::find(names.begin(), names.end(), name) != names.end())
                values.insert(values.end(), from, from + size);
        }
        void integers(const std::string&, std::vector<std::int64_t>&) override {}
        void table(const std::string&, Table&, std::size_t, std::size_t) override {}
        std::vector<double> values;
    };

    std::size_t width_;
    std::vector<Checkpoint> kept_;
};

}  // namespace onlineboost
