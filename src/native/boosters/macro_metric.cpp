#include "boosters/macro_metric.hpp"

#include <algorithm>
#include <limits>

namespace onlineboost {

void MacroMetric::score(double* p) const {
    const bool f1 = metric_ == OperatingPoint::Metric::kF1;
    double least = std::numeric_limits<double>::infinity(), prior = 0.0;
    for (const Class& one : classes_) prior += one.examples;
    prior *= kFewest / count_;
    const auto mass = [&](const Class& one) { return one.examples + prior + (f1 ? one.said + prior : 0.0); };
    for (const Class& one : classes_) least = std::min(least, mass(one));
    for (std::size_t k = 0; k < classes_.size(); ++k) {
        const double own = mass(classes_[k]);
        if (f1) p[k] -= (classes_[k].right + prior) / own;
        p[k] *= least / own;
    }
}

void MacroMetric::learn(double* p, std::size_t label, double s) {
    score(p);
    Class& said = classes_[static_cast<std::size_t>(std::max_element(p, p + classes_.size()) - p)];
    said.said += s;
    if (label < classes_.size() && &said == &classes_[label]) said.right += s;
    if (label == classes_.size()) classes_.emplace_back();
    classes_[label].examples += s;
    count_ += 1.0;
}

void MacroMetric::serialise(Archive& archive, std::size_t classes) {
    if (!chooses()) return;
    if (archive.loading()) classes_.assign(classes, {});
    std::vector<double> values;
    for (const auto& [examples, said, right] : classes_) values.insert(values.end(), {examples, said, right});
    archive.sums("metric_sums", values.data(), values.size());
    archive.sum("metric_examples", count_);
    if (!archive.loading()) return;
    Archive::check(count_ >= 1.0, "metric_examples");
    for (std::size_t k = 0; k < classes; ++k) {
        classes_[k] = {values[3 * k], values[3 * k + 1], values[3 * k + 2]};
        Archive::check(classes_[k].examples > 0.0, "metric_sums");
    }
}

void MacroMetric::adopt(Archive& archive) {
    if (!chooses()) return;
    OperatingPoint two(metric_);
    two.serialise(archive);
    count_ = two.examples();
    classes_.assign(2, {});
    for (const double said : {-1.0, 1.0})
        for (const double label : {-1.0, 1.0}) {
            const double s = two.weight(said, label);
            classes_[said > 0.0 ? 0 : 1].said += s;
            classes_[label > 0.0 ? 0 : 1].examples += s;
            if (said == label) classes_[said > 0.0 ? 0 : 1].right += s;
        }
}

}  // namespace onlineboost
