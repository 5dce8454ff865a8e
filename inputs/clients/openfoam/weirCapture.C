// A linear solver of OpenFOAM (v1912 and alike) that dumps each system by weir_capture.h and hands it on to another one. In
// system/controlDict:  libs ("libweirCapture.so");   and in system/fvSolution:
//
//   p { solver weirCapture;  folder "weir_p";  inner { solver PCG; preconditioner DIC; tolerance 1e-6; relTol 0.05; } }
//
// One processor, no cyclic patches. A matrix with a negative diagonal, as that of a pressure equation, is dumped with both
// sides negated, so that cg takes it. build.sh compiles it.
#define WEIR_CAPTURE_IMPLEMENTATION
#include "../weir_capture.h"

#include <map>
#include <vector>

#include "Time.H"
#include "lduMatrix.H"
#include "objectRegistry.H"

namespace Foam
{

class weirCapture : public lduMatrix::solver
{
public:
    TypeName("weirCapture");

    weirCapture
    (
        const word& fieldName,
        const lduMatrix& matrix,
        const FieldField<Field, scalar>& bouCoeffs,
        const FieldField<Field, scalar>& intCoeffs,
        const lduInterfaceFieldPtrsList& interfaces,
        const dictionary& controls
    )
    :
        lduMatrix::solver(fieldName, matrix, bouCoeffs, intCoeffs, interfaces, controls)
    {}

    virtual solverPerformance solve(scalarField& psi, const scalarField& source, const direction cmpt = 0) const
    {
        forAll(interfaces_, patch)
            if (interfaces_.set(patch))
                FatalErrorInFunction << "coupled patches are not dumped" << exit(FatalError);
        dump(psi, source);
        return lduMatrix::solver::New
        (
            fieldName_, matrix_, interfaceBouCoeffs_, interfaceIntCoeffs_, interfaces_, controlDict_.subDict("inner")
        )->solve(psi, source, cmpt);
    }

private:
    // One a field, open until the program ends.
    static weir_capture* writer(const word& field, const fileName& folder)
    {
        static std::map<std::string, weir_capture*> writers;
        weir_capture*& c = writers[field];
        if (!c) c = weir_capture_open(folder.c_str(), field.c_str(), 0);
        return c;
    }

    void dump(const scalarField& psi, const scalarField& source) const
    {
        const labelUList& l = matrix_.lduAddr().lowerAddr();
        const labelUList& u = matrix_.lduAddr().upperAddr();
        const scalarField& diag = matrix_.diag();
        const scalarField& upper = matrix_.upper();
        const scalarField& lower = matrix_.lower();
        const label n = diag.size();
        const scalar sign = sum(diag) < 0 ? -1 : 1;

        std::vector<int32_t> start(n + 1, 0), next(n), column(n + 2*l.size());
        std::vector<double> value(column.size()), b(n), x(n);
        for (label i = 0; i < n; ++i) start[i + 1] = 1;
        forAll(l, f) ++start[l[f] + 1], ++start[u[f] + 1];
        for (label i = 0; i < n; ++i)
        {
            start[i + 1] += start[i];
            next[i] = start[i];
            column[next[i]] = i;
            value[next[i]++] = sign*diag[i];
            b[i] = sign*source[i];
            x[i] = psi[i];
        }
        forAll(l, f)
        {
            column[next[l[f]]] = u[f];
            value[next[l[f]]++] = sign*upper[f];
            column[next[u[f]]] = l[f];
            value[next[u[f]]++] = sign*lower[f];
        }

        const Time& time = matrix_.mesh().thisDb().time();
        weir_capture* c = writer(fieldName_, controlDict_.get<fileName>("folder"));
        weir_capture_pattern(c, n, 1, start.data(), column.data(), 0);
        weir_capture_system(c, value.data(), b.data(), x.data(), time.timeIndex(), time.value());
        if (weir_capture_failed(c)) FatalErrorInFunction << weir_capture_error(c) << exit(FatalError);
    }
};

defineTypeNameAndDebug(weirCapture, 0);
lduMatrix::solver::addsymMatrixConstructorToTable<weirCapture> addWeirCaptureSymmetric;
lduMatrix::solver::addasymMatrixConstructorToTable<weirCapture> addWeirCaptureAsymmetric;

}  // namespace Foam
