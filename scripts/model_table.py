#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The README's table of models: operators and constant bytes with the pool off and on.

  scripts/model_table.py --tosac build/tosac DIR

DIR holds NAME.pt2, or NAME/model.pt2, for each model. Beside tosac's counts stand those of ExecuTorch
1.5.1's Arm backend (TOSA-FP) before and after its pull request 22638 pooled constants.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

# Published counts of ExecuTorch's operators: model -> (title, before, after).
EXECUTORCH = {
    "mlp": ("MLP", "22", "19"),
    "sd3": ("Stable Diffusion 3 transformer", "1,518", "1,038"),
    "sd3_trained": ("SD3 transformer, trained", "1,535", "1,055"),
    "conformer": ("Conformer", "488", "365"),
    "conformer_trained": ("Conformer, trained", "508", "385"),
    "inception_v3": ("InceptionV3", "673", "456"),
    "resnet18": ("ResNet-18", "", "105"),
    "mobilenet_v2": ("MobileNetV2", "", "213"),
}


def compile_model(tosac, archive):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "model.tosa"
        command = [tosac, "compile", str(archive), "-o", str(out), "--json"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(f"{archive}: {run.stderr}")
        return json.loads(run.stdout), out.stat().st_size


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tosac", default="build/tosac")
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    print("| model | ExecuTorch before | after | tosac, pool off | **pool on** | constant bytes |"
          " file bytes |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, (title, before, after) in EXECUTORCH.items():
        archives = [options.folder / f"{name}.pt2", options.folder / name / "model.pt2"]
        archive = next((path for path in archives if path.exists()), None)
        if archive is None:
            continue
        counts, size = compile_model(options.tosac, archive)
        print(f"| {title} | {before} | {after} | {counts['pool_off']['operators']:,} |"
              f" **{counts['pool_on']['operators']:,}** |"
              f" {counts['pool_on']['constant_bytes']:,} | {size:,} |")


if __name__ == "__main__":
    main()
