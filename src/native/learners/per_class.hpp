// Learners of many classes made of binary ones: learner i of the bank of class k tells the class from the rest.
//
//   s_i(k) = (1 + h_ki) / sum_l (1 + h_li)          its share of class k; equal shares where all of them say -1
//
// All banks see one row, by the same slots. A class begins with its first example. Of two classes that were learned by
// one bank, the second goes on with a copy of it that is taught, and speaks, with the sign turned: learners are odd in
// the label.
#pragma once
#include "engine/stored_parameters.hpp"
#include "learners/bank.hpp"

namespace onlineboost {

class PerClassBank final : public ClassBank {
   public:
    PerClassBank(std::size_t learners, StoredParameters parameters);

    std::unique_ptr<Scratch> make_scratch() const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;

    void score_classes(Scratch& scratch) const override;
    void update_class(Scratch& scratch, const double* w) override;
    void forget(std::size_t i) override {
        for (Class& one : classes_) one.bank->forget(i);
    }
    void serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) override;
    void adopt(Archive& archive, const std::vector<FeatureId>& ids) override;
    std::size_t most_features() const override { return probe_->most_features(); }
    std::string limit() const override { return probe_->limit(); }

   private:
    struct Class {
        std::unique_ptr<Bank> bank;
        double sign;  // -1: the bank says, and is told, the opposite
    };
    struct Own;
    std::unique_ptr<Bank> build(std::size_t k) const;
    void prepare(Own& own, std::span<const FeatureId> fresh);

    StoredParameters parameters_;
    std::vector<Class> classes_;
    std::unique_ptr<Bank> probe_;   // of no class: says what any of them can take
    std::unique_ptr<Bank> coming_;  // of a class that begins with the row at hand
    std::vector<FeatureId> ids_;    // of the features met
};

}  // namespace onlineboost
