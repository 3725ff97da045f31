// A calibration per class, against the rest.
#pragma once
#include <string>

#include "boosters/class_booster.hpp"
#include "engine/calibration.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

template <class Base>
class Calibrated : public Base {
   public:
    using Base::Base;
    void add() override { calibrations_.emplace_back(); }
    void drop(std::size_t classes) override { calibrations_.resize(classes); }
    void serialise(Archive& archive) override {
        for (std::size_t k = 0; k < calibrations_.size(); ++k) {
            PrefixedArchive named(archive, "class" + std::to_string(k) + ".");
            calibrations_[k].serialise(named);
        }
    }

   protected:
    // Of class k with the margin f, before the probabilities of all classes are made to sum to 1. A class of sign -1
    // took its calibration over from a model of two classes, where it was the other one.
    double probability(std::size_t k, const Scratch& heard, double f) const {
        const double p = calibrations_[k].probability(calibrations_[k].place(heard.sign * f));
        return heard.sign > 0.0 ? p : 1.0 - p;
    }
    void calibrate(std::size_t k, const Scratch& heard, double f, double y, double s) {
        calibrations_[k].learn(calibrations_[k].place(heard.sign * f), heard.sign * f, heard.sign * y, s);
    }

   private:
    std::vector<Calibration> calibrations_;
};

using CalibratedClasses = Calibrated<ClassBooster>;

}  // namespace onlineboost
