#include "boosters/tracking_softmax.hpp"

#include <algorithm>

#include "learners/wrapper.hpp"

namespace onlineboost {

namespace {

void said(const SoftmaxStack& stack, const double* logs, std::size_t classes, double smallest, double* p) {
    stack.score(logs, classes, p);
    double total = 0.0;
    for (std::size_t k = 0; k < classes; ++k) total += p[k] = std::max(p[k], smallest);
    for (std::size_t k = 0; k < classes; ++k) p[k] /= total;
}

}  // namespace

TrackingSoftmax::TrackingSoftmax(std::size_t families, double variance, double forgetting)
    : forgetting_(forgetting), still_(families, variance), moving_(families, variance) {}

void TrackingSoftmax::reset() {
    still_.reset();
    moving_.reset();
    share_.reset();
}

void TrackingSoftmax::score(const double* logs, std::size_t classes, double smallest, double* p, double* other) const {
    said(still_, logs, classes, smallest, p);
    if (forgetting_ <= 0.0) return;
    said(moving_, logs, classes, smallest, other);
    for (std::size_t k = 0; k < classes; ++k) p[k] = share_.mix(p[k], other[k]);
}

void TrackingSoftmax::learn(const double* logs, std::size_t classes, std::size_t label, double s, double smallest,
                            double* p) {
    if (forgetting_ > 0.0) {
        said(still_, logs, classes, smallest, p);
        const double q = p[label];
        said(moving_, logs, classes, smallest, p);
        share_.learn(q, p[label], s);
        moving_.learn(logs, classes, label, s, p);
        moving_.forget(forgetting_ * std::min(s, 1.0));
    }
    still_.learn(logs, classes, label, s, p);
}

void TrackingSoftmax::drop(std::size_t f) {
    still_.drop(f);
    moving_.drop(f);
}

void TrackingSoftmax::serialise(Archive& archive, const std::vector<TrackingSoftmax*>& stacks) {
    std::vector<SoftmaxStack*> still, moving;
    std::vector<StackShare*> shares;
    for (TrackingSoftmax* one : stacks) {
        still.push_back(&one->still_);
        moving.push_back(&one->moving_);
        shares.push_back(&one->share_);
    }
    SoftmaxStack::serialise(archive, still);
    if (stacks[0]->forgetting_ <= 0.0) return;
    PrefixedArchive named(archive, "moving.");
    if (archive.loading() && !named.has("stack_mean")) {  // older than these: they go on without
        for (TrackingSoftmax* one : stacks) one->forgetting_ = 0.0;
        return;
    }
    SoftmaxStack::serialise(named, moving);
    StackShare::serialise(named, shares);
}

}  // namespace onlineboost
