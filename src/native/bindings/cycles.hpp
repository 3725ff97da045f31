// Reference cycles through a bank in Python, such as one that refers to its estimator: shown to the garbage collector.
#pragma once
#include <nanobind/nanobind.h>

#include "bindings/python_bank.hpp"

namespace onlineboost {

template <class M>
int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    int found = 0;
    nb::inst_ptr<M>(self)->each_bank([&](Bank& bank) {
        if (auto* python = dynamic_cast<PythonBank*>(&bank); python && python->object() && found == 0)
            found = visit(python->object(), arg);
    });
    return found;
}

// Only garbage is cleared: nobody uses the model any more.
template <class M>
int clear(PyObject* self) {
    if (!nb::inst_ready(self)) return 0;
    nb::inst_ptr<M>(self)->each_bank([](Bank& bank) {
        if (auto* python = dynamic_cast<PythonBank*>(&bank)) python->clear();
    });
    return 0;
}

template <class M>
PyType_Slot* cycle_slots() {
    static PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse<M>)},
                                  {Py_tp_clear, reinterpret_cast<void*>(clear<M>)},
                                  {0, nullptr}};
    return slots;
}

}  // namespace onlineboost
