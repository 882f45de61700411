#include "simulation/words.h"

namespace pumice::simulation {

namespace {

struct Teller {
  const Scene& scene;

  std::string operator()(const volcano::ObserveRecord& record) const { return observe_clause(record, scene); }
  std::string operator()(const volcano::CommandRecord& record) const { return command_clause(record, scene); }
  std::string operator()(const volcano::ProcessRecord& record) const {
    if (!record.expired) return process_clause(cause_text(record, scene), record, scene);
    for (const volcano::TimerRecord& timer : record.timers) {
      if (timer.op == volcano::TimerOp::Expired) return process_clause(timer_clause(timer, scene), record, scene);
    }
    return process_clause("a delayed action is due", record, scene);
  }
};

}  // namespace

std::string record_sentence(const volcano::Record& record, const Scene& scene) {
  return as_sentence(std::visit(Teller{scene}, record));
}

}  // namespace pumice::simulation
