// The potential of OnlineMBBM (Jung, Goetz, Tewari, NIPS 2017, Section 3), exact.
//
// phi_n(s) is the chance that class r does not lead alone after n more votes, each for r with probability (1 - gamma)/k
// + gamma and for any other of the k classes with (1 - gamma)/k. It depends on s only by the leads s_r - s_l over the
// other classes.
#pragma once
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace onlineboost {

class Potential {
   public:
    static constexpr std::size_t kMostVotes = 100;  // n! and its reciprocal are numbers, and a lead fits into a byte
    explicit Potential(double gamma) : gamma_(gamma) {}

    double value(std::size_t n, std::vector<int> leads) const;
    // sum_l phi_n(s + e_l) - phi_n(s + e_r), divided by its largest value over the states in which all rivals are
    // level; at most 1.
    double weight(std::size_t n, std::vector<int> leads);

   private:
    double difference(std::size_t n, const std::vector<int>& leads) const;
    double largest(std::size_t n, std::size_t rivals);

    double gamma_;
    std::unordered_map<std::string, double> weights_;                   // a cache: what it holds follows from gamma
    std::vector<std::pair<std::size_t, std::vector<double>>> largest_;  // by the number of rivals and n
};

}  // namespace onlineboost
