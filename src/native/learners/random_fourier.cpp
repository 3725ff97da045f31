#include "learners/random_fourier.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>

#include "engine/build.hpp"
#include "engine/math.hpp"
#include "engine/random.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr double kPi = 3.141592653589793;
constexpr std::uint64_t kIntercept = ~std::uint64_t{0};
}  // namespace

struct RandomFourierBank::Own final : WrapperScratch, NormalisedRow {
    using WrapperScratch::WrapperScratch;
    std::vector<double*> rows;  // of frequencies, one per value
    std::vector<Vector> fresh;  // those of features that were never learned
    Vector turns;               // <omega_j, x>
};

std::unique_ptr<Scratch> RandomFourierBank::make_scratch() const { return std::make_unique<Own>(layout, *inner_); }

RandomFourierBank::RandomFourierBank(std::unique_ptr<Bank> inner, Normalise normalise, Options options)
    : WrapperBank(std::move(inner)), normalise_(normalise), options_(options),
      width_(Layout(options.components).stride), phases_(width_), ids_(options.components) {
    if (options.components > inner_->most_features())
        throw std::invalid_argument("a full covariance takes at most " + std::to_string(inner_->most_features()) +
                                    " components");
    for (std::size_t j = 0; j < options.components; ++j) {
        ids_[j] = static_cast<FeatureId>(j);
        phases_[j] = uniform(hash64(options.seed, Purpose::kPhase, j, 0));
    }
    if (!normalise.intercept) return;
    frequencies_.reserve(1);
    frequencies_.push_back(draw(kIntercept));
}

RandomFourierBank::~RandomFourierBank() {
    for (double* row : frequencies_)
        if (row) Aligned64<double>().deallocate(row, width_);
}

double* RandomFourierBank::draw(std::uint64_t feature) const {
    double* row = Aligned64<double>().allocate(width_);
    std::fill_n(row, width_, 0.0);
    draw(feature, row);
    return row;
}

// Readers may want the same row at the same time: all draw it, and the first to be done keeps it.
double* RandomFourierBank::frequencies(std::size_t coordinate, std::uint64_t feature) const {
    const std::atomic_ref<double*> place(frequencies_[coordinate]);
    double* row = place.load(std::memory_order_acquire);
    if (row) return row;
    double* drawn = draw(feature);
    if (place.compare_exchange_strong(row, drawn, std::memory_order_acq_rel)) return drawn;
    Aligned64<double>().deallocate(drawn, width_);
    return row;
}

// Normal by Box and Muller from two hashes of (seed, component, feature).
void RandomFourierBank::draw(std::uint64_t feature, double* row) const {
    const double turns = 1.0 / (2.0 * kPi * options_.scale);
    for (std::size_t j = 0; j < options_.components; ++j) {
        const double u = 1.0 - uniform(hash64(options_.seed, Purpose::kRadius, j, feature));
        const double v = uniform(hash64(options_.seed, Purpose::kAngle, j, feature));
        row[j] = turns * (std::sqrt(-2.0 * math::log_fixed(u)) * math::cosine_of_turns(v));
    }
}

// A feature that was never learned is mapped all the same: its frequencies are a pure function of its id.
void RandomFourierBank::change(Scratch& outer, Row& row) const {
    auto& scratch = static_cast<Own&>(outer);
    const Row& given = *scratch.row;
    normalise_.apply(given, scratch);
    const std::size_t offset = normalise_.intercept ? 1 : 0;
    auto& rows = scratch.rows;
    rows.clear();
    if (offset == 1) rows.push_back(frequencies_[0]);
    std::size_t unmet = 0;
    for (std::size_t k = 0; k < given.size(); ++k) {
        const std::int32_t slot = given.slots[k];
        if (slot != Features::kUnseen) {
            rows.push_back(frequencies(static_cast<std::size_t>(slot) + offset, given.ids[k]));
            continue;
        }
        if (unmet == scratch.fresh.size()) scratch.fresh.emplace_back();
        scratch.fresh[unmet].resize(width_);
        draw(given.ids[k], scratch.fresh[unmet].data());
        rows.push_back(scratch.fresh[unmet++].data());
    }
    scratch.turns.resize(width_);
    row.ids = ids_;
    row.raw.resize(width_);
    // The products are what is asked for; waves() writes over the other result.
    kernels().linear_score(rows.data(), scratch.values.data(), rows.size(), phases_.data(), scratch.turns.data(),
                           row.raw.data(), 0, width_);
    kernels().waves(scratch.turns.data(), phases_.data(), row.raw.data(), width_);
    row.raw.resize(ids_.size());
    row.slots.resize(ids_.size());
    for (std::size_t j = 0; j < ids_.size(); ++j)
        row.slots[j] = met_ > 0 ? static_cast<std::int32_t>(j) : Features::kUnseen;
}

void RandomFourierBank::make_room(Scratch& scratch, std::span<const FeatureId> fresh) {
    onlineboost::make_room(frequencies_, frequencies_.size() + fresh.size());
    inner_->make_room(*inside(scratch).scratch, met_ > 0 ? std::span<const FeatureId>() : ids_);
}

void RandomFourierBank::meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
    frequencies_.resize(frequencies_.size() + (ids.size() - from), nullptr);
    InnerScratch& own = inside(scratch);
    for (std::size_t j = 0; j < ids_.size(); ++j) own.row.slots[j] = static_cast<std::int32_t>(j);
    const std::size_t before = met_;
    met_ = ids_.size();
    own.scratch->rests = scratch.rests;
    inner_->meet(*own.scratch, ids_, before);
}

void RandomFourierBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    std::vector<std::int64_t> met{met_ > 0 ? 1 : 0};
    archive.integers("components_met", met);
    if (archive.loading()) {
        if (met.size() != 1 || (met[0] != 0 && met[0] != 1))
            throw std::invalid_argument("state field 'components_met' is not 0 or 1");
        if (met[0] == 0 && !ids.empty())
            throw std::invalid_argument("state field 'components_met' contradicts the features");
        met_ = met[0] == 1 ? ids_.size() : 0;
        frequencies_.resize(frequencies_.size() + ids.size(), nullptr);
    }
    serialise_inner(archive, met_ > 0 ? ids_ : std::vector<FeatureId>{});
}

std::unique_ptr<Bank> RandomFourierBank::build(const Parameters& p, std::size_t learners) {
    const Options options{p.count("components"), p.number("scale"), p.whole("seed")};
    return std::make_unique<RandomFourierBank>(build_inner(p, *p.inside("inner"), learners), Normalise::from(p),
                                               options);
}

}  // namespace onlineboost
