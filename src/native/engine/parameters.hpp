// The parameters of a learner or a booster by name, whoever brings them. Ranges were checked before.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace onlineboost {

class Bank;

class Parameters {
   public:
    struct Part;

    virtual ~Parameters() = default;
    virtual bool has(const char* name) const = 0;
    virtual double number(const char* name) const = 0;
    virtual std::uint64_t whole(const char* name) const = 0;
    virtual bool flag(const char* name) const = 0;
    virtual std::string text(const char* name) const = 0;
    // Those of a learner or a booster inside, and of several.
    virtual std::unique_ptr<Parameters> inside(const char* name) const = 0;
    virtual std::vector<Part> parts(const char* name) const = 0;
    // A bank that the engine does not know, where these parameters stand for one.
    virtual std::unique_ptr<Bank> foreign_bank(std::size_t learners) const = 0;

    // A copy that components can be built from at any time, on any thread.
    virtual std::shared_ptr<const Parameters> kept() const = 0;
    // Whether they are for a bank of many classes.
    virtual bool many_classes() const { return false; }
    std::string kind() const { return text("kind"); }
    std::size_t count(const char* name) const { return static_cast<std::size_t>(whole(name)); }
    // The position of a named choice.
    template <class Enum>
    Enum choice(const char* name, std::initializer_list<const char*> names) const {
        const std::string value = text(name);
        int k = 0;
        for (const char* candidate : names) {
            if (value == candidate) return static_cast<Enum>(k);
            ++k;
        }
        throw std::invalid_argument(std::string("parameter '") + name + "' cannot be '" + value + "'");
    }
};

struct Parameters::Part {
    std::size_t learners;
    std::unique_ptr<Parameters> parameters;
};

}  // namespace onlineboost
