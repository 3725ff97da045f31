// How a mixture of two classes or of many weighs them.
#pragma once
#include "boosters/operating_point.hpp"
#include "engine/parameters.hpp"

namespace onlineboost {

struct Weighing {
    bool targets = false;   // weights are targets; if not, an example of weight 2 counts as two
    bool balanced = false;  // with them: the classes weigh the same
    OperatingPoint::Metric metric = OperatingPoint::Metric::kNone;

    static Weighing read(const Parameters& p) {
        if (!p.has("weights")) return {};
        return {p.text("weights") == "targets", p.flag("balanced"),
                p.choice<OperatingPoint::Metric>("metric", {"none", "f1", "balanced_accuracy"})};
    }
};

}  // namespace onlineboost
