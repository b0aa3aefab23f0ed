package kernels

import (
	"errors"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"warren/internal/compute"
)

var (
	// Convolutions that have every shape of work groups.
	onTensorCores = append(convolutions(9), convolutions(1)...)

	// The calls of all kernels of kernels.cl and of training.cl.
	playingCalls  = []Call{Conv{Launch: Form{}.Launch(ConvShape{})}, Expand{}, Pool{}, Dense{}, DenseStored{}, Heads{}, Answer{}}
	trainingCalls = []Call{
		Layer{}, InputGradient{}, WeightGradient{}, SumParts{}, Passed{}, BoardSums{}, PoolBoards{}, PoolGradient{}, Join{}, Split{},
		Shares{}, Chances{}, SumSquares{}, Clip{}, Adam{}, SGD{}, Look{}, Gram{}, SumGram{}, Products{}, Muon{}, Average{},
	}

	// The calls of the kernels of mixed precision, apart from those of several shapes, and of these.
	mixedCalls        = []Call{Planes{}, Pack{}, AddParts{}, AddBoards{}, PoolMixed{}, PoolMixedGradient{}, DenseRows{}, Narrowed{}}
	mixedConvolutions = append(mixedOf(9), mixedOf(1)...)
	mixedOuters       = []Call{Outer{Taps: 9}, Outer{Taps: 1}}
)

func convolutions(taps int) (calls []Call) {
	for _, s := range shapes {
		calls = append(calls, Conv{Launch: Launch{Kernel: s.name(taps)}})
	}
	return calls
}

func mixedOf(taps Taps) (calls []Call) {
	for _, s := range mixedShapes {
		if slices.Contains(ShapesOf(taps, 128), s) {
			calls = append(calls, MixedConv{Shape: s, Taps: taps})
		}
	}
	return calls
}

// named returns the names of the kernels of calls.
func named(calls []Call) (names []string) {
	for _, c := range calls {
		name, _ := c.kernel()
		names = append(names, name)
	}
	return names
}

// howItIsRun are the types of fields that are no arguments.
var howItIsRun = []reflect.Type{reflect.TypeFor[Launch](), reflect.TypeFor[MixedShape](), reflect.TypeFor[Taps](), reflect.TypeFor[compute.Local]()}

// declaration finds the name and the parameters of a kernel in a source.
var declaration = regexp.MustCompile(`(?:GROUP|__kernel\s+__attribute__\(\(reqd_work_group_size\(\w+, 1, 1\)\)\))\s+void (\w+)\(([^)]*)\)`)

// parametersOf returns the parameters of the kernels of a source by the kernels' names. In a text
// that is compiled several times, the name is NAME.
func parametersOf(source string) map[string][]string {
	all := map[string][]string{}
	for _, m := range declaration.FindAllStringSubmatch(strings.ReplaceAll(source, "\\\n", "\n"), -1) {
		for p := range strings.SplitSeq(m[2], ",") {
			all[m[1]] = append(all[m[1]], strings.TrimSpace(p))
		}
	}
	return all
}

// TestCallsAreTheKernels compares every call with the parameters of its kernel: their names, their
// order, and whether they are memory or numbers.
func TestCallsAreTheKernels(t *testing.T) {
	for _, of := range []struct {
		source string
		calls  []Call
	}{
		{source, playingCalls}, {fragments, onTensorCores}, {product, []Call{Product{}}}, {trainingSource, trainingCalls},
		{mixedSource, mixedCalls}, {mixedConvolution, mixedConvolutions}, {mixedOuter, mixedOuters},
	} {
		parameters := parametersOf(of.source)
		for _, c := range of.calls {
			name, _ := c.kernel()
			if kind := reflect.TypeOf(c); parameters[name] != nil && !strings.EqualFold(kind.Name(), name) {
				t.Errorf("%v is the kernel %s", kind, name)
			}
			want, ok := parameters[name]
			if !ok {
				want = parameters["NAME"]
			}
			var got []string
			for _, f := range reflect.VisibleFields(reflect.TypeOf(c)) {
				if slices.Contains(howItIsRun, f.Type) {
					continue
				}
				kind, ok := map[reflect.Type]string{
					reflect.TypeFor[compute.Buffer](): "__global", reflect.TypeFor[int](): "int", reflect.TypeFor[bool](): "int",
				}[f.Type]
				if !ok {
					t.Errorf("%T.%s is a %v", c, f.Name, f.Type)
				}
				got = append(got, kind+" "+strings.ToLower(f.Name[:1])+f.Name[1:])
			}
			for i, p := range want {
				words := regexp.MustCompile(`\w+`).FindAllString(p, -1)
				want[i] = words[0] + " " + words[len(words)-1]
			}
			if !slices.Equal(got, want) {
				t.Errorf("%T has the fields\n\t%s\nand the kernel %s the parameters\n\t%s", c, strings.Join(got, ", "), name, strings.Join(want, ", "))
			}
		}
	}
}

// TestNumbersOfTheSources compares numbers and flags with those that the sources define.
func TestNumbersOfTheSources(t *testing.T) {
	defined := func(source string) map[string]int {
		all := map[string]int{}
		for _, m := range regexp.MustCompile(`(?m)^#define (\w+) (\d+)\b`).FindAllStringSubmatch(source, -1) {
			all[m[1]], _ = strconv.Atoi(m[2])
		}
		return all
	}
	got := defined(trainingSource)
	for name, want := range map[string]int{
		"BIAS": LayerBoardBias, "RESIDUAL": LayerResidual, "RECTIFY": LayerReLU, "ADD": Add, "TALL": Tall, "WIDE": Wide,
	} {
		if got[name] != want {
			t.Errorf("%s is %d in training.cl, want %d", name, got[name], want)
		}
	}
	if got := defined(source)["WIDE"]; got != wide {
		t.Errorf("WIDE is %d in kernels.cl, want %d", got, wide)
	}
	enum := regexp.MustCompile(`enum \{([^}]*)\}`).FindStringSubmatch(trainingSource)
	var factors []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Factors]()) {
		factors = append(factors, strings.ToUpper(f.Name))
	}
	if got := strings.ReplaceAll(strings.TrimSpace(enum[1]), " ", ""); got != strings.Join(factors, ",") {
		t.Errorf("training.cl has the factors %s, want %v", got, factors)
	}
	if got := (Factors{Clip: 1, Average: 12}).Numbers(); len(got) != len(factors) || got[0] != 1 || got[11] != 12 {
		t.Errorf("the numbers of factors are %v", got)
	}
}

// recorder is a context that remembers the last kernel.
type recorder struct {
	compute.Context
	name  string
	group int
	args  []any
}

func (r *recorder) Kernel(name string, group int, args ...any) (compute.Kernel, error) {
	r.name, r.group, r.args = name, group, args
	return nil, errors.New("made")
}

type memory int

func (memory) Release() {}

func TestNewPassesTheFields(t *testing.T) {
	d := Dense{
		X: memory(1), W: memory(2), Bias: memory(3), Y: memory(4),
		XBoard: 5, XAt: 6, Run: 7, Inner: 8, Inputs: 9, Rows: 10, Outputs: math.MinInt32, YBoard: math.MaxInt32, Relu: true,
	}
	args := []any{memory(1), memory(2), memory(3), memory(4), int32(5), int32(6), int32(7), int32(8), int32(9), int32(10),
		int32(math.MinInt32), int32(math.MaxInt32), int32(0), int32(1)}
	conv := Conv{
		Launch: Launch{Kernel: "some", Group: 96}, X: memory(1), W: memory(2), Bias: memory(3), Residual: memory(4), Y: memory(5), BiasBoard: 6,
		In: 7, Out: 8, Stride: 9, Taps: 10, Flags: 11,
	}
	for _, c := range []struct {
		call  Call
		name  string
		group int
		args  []any
	}{
		{d, "dense", 64, args},
		{DenseStored(d), "denseStored", 64, args},
		{conv, "some", 96, []any{memory(1), memory(2), memory(3), int32(6), memory(4), memory(5), int32(7), int32(8), int32(9), int32(10), int32(11)}},
	} {
		var r recorder
		if _, err := New(&r, c.call); err == nil || err.Error() != "made" {
			t.Errorf("%s: %v", c.name, err)
		}
		if r.name != c.name || r.group != c.group || !slices.Equal(r.args, c.args) {
			t.Errorf("the kernel is %s in groups of %d, with %v; want %s, %d, %v", r.name, r.group, r.args, c.name, c.group, c.args)
		}
	}
}

func TestNewRefusesArguments(t *testing.T) {
	var most, least int64 = math.MaxInt32 + 1, math.MinInt32 - 1
	if strconv.IntSize == 32 {
		t.Skip("an int has 32 bits, so every one fits")
	}
	for want, call := range map[string]Call{
		"the kernel answer: the memory Wanted is missing":                        Answer{X: memory(1), Y: memory(2)},
		"the kernel pool: Channels is 2147483648, which does not fit 32 bits":    Pool{X: memory(1), Y: memory(2), Channels: int(most)},
		"the kernel expand: Channels is -2147483649, which does not fit 32 bits": Expand{Input: memory(1), Y: memory(2), Channels: int(least)},
	} {
		if _, err := New(new(recorder), call); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
