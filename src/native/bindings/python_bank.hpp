// A bank whose learners live in Python: the Bank protocol of onlineboost.learners, called once per sweep.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "learners/bank.hpp"

namespace onlineboost {

namespace nb = nanobind;

class PythonBank final : public Bank {
   public:
    PythonBank(nb::object bank, std::size_t learners, std::size_t features);
    ~PythonBank() override;

    void score(Scratch& scratch) const override;
    void make_room(Scratch&, std::span<const FeatureId>) override {}
    void meet(Scratch& scratch, const std::vector<FeatureId>&, std::size_t) override;
    bool may_raise() const override { return true; }
    void undo() override;
    void update(Scratch& scratch, double y, const double* w) override;
    void forget(std::size_t i) override;
    void regress(Scratch& scratch, double y, const double* pull, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch&) override {}
    // The object, for the garbage collector, which may also take it away.
    PyObject* object() const { return bank_.ptr(); }
    void clear() { bank_.reset(); }
    // The Python object travels with the estimator.
    void serialise(Archive&, const std::vector<FeatureId>&) override {}

   private:
    nb::object dense_row(const Scratch& scratch) const;

    nb::object bank_;
    std::size_t features_;
    bool meets_;      // the bank has the optional method meet(x)
    bool regresses_;  // and regress(x, r, w)
    bool undoes_;     // and undo()
};

}  // namespace onlineboost
