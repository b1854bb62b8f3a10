// SPDX-License-Identifier: Apache-2.0
// Runs passes; it alone prints, times and verifies.
#include <chrono>
#include <string>
#include <utility>

#include "tosac/passes.h"

namespace tosac {

Result<Changed> RunPipeline(fx::Program& program, std::span<const PassRow* const> pipeline,
                            PassContext& context, const PipelineOptions& options) {
  Changed any = Changed::kNo;
  for (const PassRow* pass : pipeline) {
    const auto start = std::chrono::steady_clock::now();
    TOSAC_ASSIGN(const Changed changed, pass->function(program, context));
    if (changed == Changed::kYes) any = Changed::kYes;
    if (options.timings != nullptr) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      options.timings->push_back({pass->name, elapsed.count()});
    }
    if (options.print && (options.print_after == "all" || options.print_after == pass->name)) {
      options.print(pass->name, fx::ToText(program));
    }
    if (!options.verify) continue;
    if (Result<void> verified = fx::Verify(program); !verified.ok()) {
      verified.diag().message +=
          "; pass " + std::string(pass->name) +
          " left the program so, which is a fault of tosac: please report it";
      return verified.diag();
    }
  }
  return any;
}

}  // namespace tosac
