#include "engine/multiclass_ensemble.hpp"

#include <string>

#include "learners/wrapper.hpp"

namespace onlineboost {

void MulticlassCalibration::serialise(Archive& archive, std::size_t classes) {
    if (archive.loading()) classes_.assign(classes, Calibration(intercept_));
    for (std::size_t k = 0; k < classes_.size(); ++k) {
        PrefixedArchive named(archive, "calibration" + std::to_string(k) + ".");
        classes_[k].serialise(named);
    }
}

void MulticlassCalibration::adopt(Archive& archive) {
    classes_.assign(1, Calibration(intercept_));
    classes_[0].serialise(archive);
    classes_.push_back(classes_[0]);
    classes_[1].mirror();
}

}  // namespace onlineboost
