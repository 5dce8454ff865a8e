#!/usr/bin/env bash
# Compiles libweirCapture.so: build.sh OPENFOAM/src OUTPUT_FOLDER. OPENFOAM/src has OpenFOAM's headers ($FOAM_SRC; Debian
# packages none: apt-get source openfoam). No wmake is needed.
set -euo pipefail
source=$(cd "$1" && pwd) output=$2 here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$output/headers"
find "$source/OpenFOAM" "$source/OSspecific/POSIX" -name lnInclude -prune -o \( -name '*.H' -o -name '*.C' -o -name '*.h' \) -print |
  while read -r file; do ln -sf "$file" "$output/headers/"; done
g++ -std=c++14 -O2 -fPIC -shared -w -Dlinux64 -DWM_DP -DWM_LABEL_SIZE=32 -DNoRepository -ftemplate-depth-100 \
  -I "$output/headers" "$here/weirCapture.C" -o "$output/libweirCapture.so"
