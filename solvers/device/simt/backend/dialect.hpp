// The words of device code, emulated: nothing is marked, all is ordinary C++.
#pragma once
#define WEIR_HD
