#include "boosters/multiclass_mixture.hpp"

#include <algorithm>

#include "engine/math.hpp"
#include "learners/multiclass_families.hpp"

namespace onlineboost {

namespace {
constexpr double kSmallest = MulticlassFamilies::kSmallestProbability;
}

MulticlassMixture::MulticlassMixture(std::size_t families, const Options& options)
    : families_(families), weighing_(options.weighing),
      all_(families, options.lives, TrackingSoftmax(families, options.variance, options.forgetting)),
      metric_(options.weighing.metric) {}

MulticlassMixture::View MulticlassMixture::view(Scratch& scratch, std::size_t classes) const {
    const std::size_t logs = all_.size() * families_ * classes, stacks = all_.size() * classes;
    scratch.room.resize(logs + stacks + classes + all_.experts());
    double* start = scratch.room.data();
    return {start, start + logs, start + logs + stacks, start + logs + stacks + classes};
}

void MulticlassMixture::vote(Scratch& scratch, double* f) const {
    const std::size_t classes = scratch.shares.size();
    const View own = view(scratch, classes);
    const std::vector<double>& w = all_.tracker().weights();
    double heard = 0.0;
    for (std::size_t g = 0; g < all_.size(); ++g) {
        if (!all_.speaks(g)) continue;
        double *logs = own.logs + g * families_ * classes, *stack = own.stacks + g * classes;
        for (std::size_t e = 0; e < families_; ++e) {
            const std::size_t place = g * families_ + e;
            const bool spoke = classes > 0 && speaks(scratch, place);
            for (std::size_t k = 0; k < classes; ++k)
                logs[k * families_ + e] = spoke ? math::log_fixed(scratch.shares[k][place]) : 0.0;
        }
        all_.stack(g).score(logs, classes, kSmallest, stack, own.p);
        heard += w[all_.stack_expert(g)];
        for (std::size_t e = 0; e < families_; ++e)
            if (classes > 0 && speaks(scratch, g * families_ + e)) heard += w[all_.expert(g * families_ + e)];
    }
    for (std::size_t k = 0; k < classes; ++k) {
        double sum = 0.0;
        for (std::size_t g = 0; g < all_.size(); ++g) {
            if (!all_.speaks(g)) continue;
            sum += w[all_.stack_expert(g)] * own.stacks[g * classes + k];
            for (std::size_t place = g * families_; place < (g + 1) * families_; ++place)
                if (speaks(scratch, place)) sum += w[all_.expert(place)] * scratch.shares[k][place];
        }
        f[k] = std::min(sum / heard, 1.0);
    }
}

void MulticlassMixture::weigh(const double* f, std::size_t classes, bool balanced, double* p) const {
    if (weighing_.targets)
        weights_.weigh(f, balanced, p);
    else
        std::copy_n(f, classes, p);
}

void MulticlassMixture::decide(const std::vector<double>& f, double* decisions) const {
    weigh(f.data(), f.size(), weighing_.balanced && !metric_.chooses(), decisions);
    if (metric_.chooses()) metric_.score(decisions);
}

void MulticlassMixture::learn(Bank& bank, Scratch& scratch, const double* f, double s) {
    const std::size_t label = scratch.label, classes = scratch.shares.size();
    const bool fresh = f[label] <= 0.0;
    const bool mistake = fresh || (classes > 1 && f[label] <= f[rival_of(label, f, classes)]);
    if (metric_.chooses()) {
        const std::size_t begun = fresh ? classes - 1 : classes;
        double* p = view(scratch, begun).p;
        weigh(f, begun, false, p);
        metric_.learn(p, label, s);
    }
    if (weighing_.targets) s = weights_.learn(label, s);
    for (std::size_t i = 0; i < all_.size() * families_; ++i)
        if (all_.present(i) && scratch.shares[0][i] > 1.0) all_.retire(bank, i);
    const View own = view(scratch, fresh ? 0 : classes);
    if (fresh) std::fill_n(own.q, all_.experts(), kSmallest);
    for (std::size_t g = 0; g < all_.size() && !fresh; ++g) {
        const bool speaks = all_.speaks(g);
        own.q[all_.stack_expert(g)] = speaks ? own.stacks[g * classes + label] : 1.0;
        for (std::size_t i = g * families_; i < (g + 1) * families_; ++i)
            own.q[all_.expert(i)] = all_.present(i) ? scratch.shares[label][i] : 1.0;
        // It is moved before the tracker learns, which has what it said.
        if (all_.learns(g))
            all_.stack(g).learn(own.logs + g * families_ * classes, classes, label, s, kSmallest, own.p);
    }
    all_.tracker().learn(own.q, s);
    all_.weigh(bank, scratch.weights.data(), s);
    bank.update_class(scratch, scratch.weights.data());
    all_.end_round(bank, rounds, mistake);
}

void MulticlassMixture::serialise(Archive& archive, std::size_t classes) {
    if (!archive.has("generation_classes")) all_.keep_one();           // older than generations of many classes,
    if (!archive.has("class_weight_sums")) weighing_.targets = false;  // or than weights as targets of these
    all_.serialise_experts(archive);
    if (weighing_.targets) weights_.serialise(archive, classes);
    metric_.serialise(archive, classes);
    all_.serialise_lives(archive, rounds);
}

void MulticlassMixture::adopt(Archive& archive) {
    all_.serialise_experts(archive);
    if (weighing_.targets) weights_.adopt(archive);
    metric_.adopt(archive);
    all_.serialise_lives(archive, rounds);
}

std::unique_ptr<MulticlassBooster> MulticlassMixture::build(const Parameters& p, std::size_t learners) {
    Options options{
        .variance = p.number("variance"), .lives = GenerationOptions::read(p), .weighing = Weighing::read(p)};
    if (p.has("forgetting")) options.forgetting = p.number("forgetting");
    return std::make_unique<MulticlassMixture>(learners / std::max<std::size_t>(options.lives.generations, 1), options);
}

}  // namespace onlineboost
