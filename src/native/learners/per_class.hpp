// Learners of many classes made of binary ones: learner i of class k tells the class from the rest.
//
//   s_i(k) = (1 + h_ki) / sum_l (1 + h_li)          its share of class k; equal shares where all of them say -1
//
// Where learners share nothing but the features, those of several classes are lanes of one bank: one look-up per
// feature and sweeps that are as long. Such banks have room for 4, 4, 8, 16 ... classes, and a lane is used once its
// class has begun. Other learners have a bank per class. The state does not tell the two apart.
//
// Late classes, from the fifth on, may have fewer learners: learner i says what the one whose number is the remainder
// says. `late` 0: no fewer.
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
    void forget(std::size_t i) override;
    bool follows_labels() const override { return probe_->follows_labels(); }
    void serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) override;
    void adopt(Archive& archive, const std::vector<FeatureId>& ids) override;
    std::size_t most_features() const override { return probe_->most_features(); }
    std::string limit() const override { return probe_->limit(); }

   private:
    // The classes [first, first + room), of which some are still to come.
    struct Group {
        std::unique_ptr<Bank> bank;
        std::size_t first, room, lanes;  // of a class
    };
    struct Own;
    std::size_t begun() const { return signs_.size(); }
    // The end of the classes of a group that have begun.
    std::size_t end_of(const Group& group) const { return std::min(group.first + group.room, begun()); }
    std::size_t lane(const Group& group, std::size_t k) const { return (k - group.first) * group.lanes; }
    std::size_t lanes_of(std::size_t first) const;
    Group build(std::size_t first) const;
    void hear(const Group& group, Scratch& inner, const Own& own) const;
    void prepare(Own& own, std::span<const FeatureId> fresh);
    void teach(const Group& group, Scratch& inner, std::size_t label, const double* w) const;
    void serialise_groups(Archive& archive, const std::vector<FeatureId>& ids, bool adopted);

    StoredParameters parameters_;
    std::size_t late_;  // learners of a late class, at most
    std::vector<Group> groups_;
    std::vector<double> signs_;      // of each class; -1: its learners say, and are told, the opposite
    std::unique_ptr<Bank> probe_;    // of no class: says what any of them can take
    std::unique_ptr<Group> coming_;  // with the class that begins with the row at hand
    std::vector<FeatureId> ids_;     // of the features met
};

}  // namespace onlineboost
