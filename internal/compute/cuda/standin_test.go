//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
)

// standIn is a CUDA driver whose functions are called as those of a library are, and which
// computes on a device of OpenCL. It checks what CUDA asks of its callers: that the context is
// current on the thread, that memory is its own, and that everything is freed.
type standIn struct {
	on compute.Device

	mu        sync.Mutex
	current   map[int]uintptr // by thread
	retained  int
	modules   []*module
	memory    map[uint64]compute.Buffer
	pinned    map[unsafe.Pointer]compute.Staging
	streams   map[uintptr]compute.Queue
	events    map[uintptr]compute.Mark
	last      uint64
	functions []function
	kept      []any // what the caller of a library's function does not see
	problems  []string

	graphs graphs
	fails  map[string]int32 // codes that functions return once

	capability int32              // ten times the compute capability
	dynamic    map[uintptr]uint32 // the most dynamic shared memory by function
	loads      []string           // the targets of the modules that were to be loaded
}

type module struct {
	context compute.Context
	source  string
}

type function struct {
	module *module
	name   string
}

const contextID = 77

// Codes of cuda.h.
const (
	invalidValue   = 1
	invalidContext = 201
	notFound       = 500
)

func newStandIn(on compute.Device) *standIn {
	return &standIn{on: on, current: map[int]uintptr{}, memory: map[uint64]compute.Buffer{}, pinned: map[unsafe.Pointer]compute.Staging{},
		streams: map[uintptr]compute.Queue{}, events: map[uintptr]compute.Mark{}, fails: map[string]int32{},
		capability: 86, dynamic: map[uintptr]uint32{}}
}

func (s *standIn) problem(format string, args ...any) {
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

// symbol returns the address of a function of C.
func (s *standIn) symbol(name string) (uintptr, error) {
	f, ok := s.table()[name]
	if !ok && !s.graphs.none {
		f, ok = s.graphTable()[name]
	}
	if !ok {
		return 0, fmt.Errorf("the stand-in has no function %s", name)
	}
	return purego.NewCallback(f), nil
}

// in runs the body of a function that needs a current context. An error becomes a code.
func (s *standIn) in(name string, body func() uintptr) uintptr {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current[syscall.Gettid()] != contextID {
		s.problem("%s without a current context", name)
		return invalidContext
	}
	return s.failing(name, body)
}

func (s *standIn) failing(name string, body func() uintptr) uintptr {
	if code, ok := s.fails[name]; ok {
		delete(s.fails, name)
		return uintptr(code)
	}
	return body()
}

func (s *standIn) next() uint64 { s.last++; return s.last }

func code(err error) uintptr {
	if err != nil {
		return 999
	}
	return 0
}

func (s *standIn) table() map[string]any {
	return map[string]any{
		"cuInit":             func(flags uintptr) uintptr { return s.failing("cuInit", func() uintptr { return flags }) },
		"cuDriverGetVersion": func(v *int32) uintptr { *v = 12040; return 0 },
		"cuDeviceGetCount":   func(n *int32) uintptr { *n = 1; return 0 },
		"cuDeviceGet":        func(d *int32, number int32) uintptr { *d = number + 40; return 0 },
		"cuDeviceGetName": func(name *byte, length int32, d int32) uintptr {
			copy(unsafe.Slice(name, length), "Stand-in\x00")
			return 0
		},
		"cuDeviceGetAttribute": func(v *int32, attribute, d int32) uintptr {
			*v = map[int32]int32{16: 4, 75: s.capability / 10, 76: s.capability % 10}[attribute]
			return 0
		},
		"cuDeviceTotalMem_v2": func(bytes *uintptr, d int32) uintptr { *bytes = uintptr(s.on.Info().Memory); return 0 },
		"cuGetErrorName": func(code int32, name **byte) uintptr {
			known := map[int32]string{2: "CUDA_ERROR_OUT_OF_MEMORY\x00", 218: "CUDA_ERROR_INVALID_PTX\x00", 700: "CUDA_ERROR_ILLEGAL_ADDRESS\x00"}
			text, ok := known[code]
			if !ok {
				return invalidValue
			}
			b := []byte(text)
			s.kept = append(s.kept, b)
			*name = &b[0]
			return 0
		},
		"cuDevicePrimaryCtxRetain": func(c *uintptr, d int32) uintptr {
			s.mu.Lock()
			defer s.mu.Unlock()
			if d != 40 {
				s.problem("the device is %d", d)
			}
			s.retained++
			*c = contextID
			return 0
		},
		"cuDevicePrimaryCtxRelease_v2": func(d int32) uintptr { s.retained--; return 0 },
		"cuCtxSetCurrent": func(c uintptr) uintptr {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.current[syscall.Gettid()] = c
			return 0
		},
		"cuModuleLoadDataEx": s.load,
		"cuModuleUnload": func(m uintptr) uintptr {
			return s.in("cuModuleUnload", func() uintptr { return code(s.modules[m-1].context.Close()) })
		},
		"cuModuleGetFunction": func(f *uintptr, m uintptr, name *byte) uintptr {
			return s.in("cuModuleGetFunction", func() uintptr {
				text := str(name)
				mod := s.modules[m-1]
				if !strings.Contains(mod.source, text+"(") && !strings.Contains(mod.source, "#define NAME "+text) && !strings.Contains(mod.source, "DENSE("+text+",") {
					return notFound
				}
				s.functions = append(s.functions, function{mod, text})
				*f = uintptr(len(s.functions))
				return 0
			})
		},
		"cuFuncSetAttribute": func(f uintptr, attribute, value int32) uintptr {
			return s.in("cuFuncSetAttribute", func() uintptr {
				if attribute != 8 {
					s.problem("the attribute %d is set", attribute)
				}
				s.dynamic[f] = uint32(value)
				return 0
			})
		},
		"cuMemAlloc_v2": func(at *uint64, bytes uintptr) uintptr {
			return s.in("cuMemAlloc", func() uintptr {
				b, err := s.modules[len(s.modules)-1].context.Buffer(int(bytes))
				*at = 0x7f00_0000_0000 + s.next()<<20
				s.memory[*at] = b
				return code(err)
			})
		},
		"cuMemFree_v2": func(at uint64) uintptr {
			return s.in("cuMemFree", func() uintptr {
				s.memory[at].Release()
				delete(s.memory, at)
				return 0
			})
		},
		"cuMemHostAlloc": func(at *unsafe.Pointer, bytes uintptr, flags uint32) uintptr {
			return s.in("cuMemHostAlloc", func() uintptr {
				b, err := s.modules[len(s.modules)-1].context.Staging(int(bytes))
				*at = unsafe.Pointer(&b.Bytes()[0])
				s.pinned[*at] = b
				return code(err)
			})
		},
		"cuMemFreeHost": func(at unsafe.Pointer) uintptr {
			return s.in("cuMemFreeHost", func() uintptr {
				s.pinned[at].Release()
				delete(s.pinned, at)
				return 0
			})
		},
		"cuStreamCreate": func(stream *uintptr, flags uint32) uintptr {
			return s.in("cuStreamCreate", func() uintptr {
				q, err := s.modules[len(s.modules)-1].context.Queue()
				*stream = uintptr(s.next())
				s.streams[*stream] = q
				return code(err)
			})
		},
		"cuStreamDestroy_v2": func(stream uintptr) uintptr {
			return s.in("cuStreamDestroy", func() uintptr {
				s.streams[stream].Release()
				delete(s.streams, stream)
				return 0
			})
		},
		"cuStreamSynchronize": func(stream uintptr) uintptr { return 0 },
		"cuEventCreate": func(event *uintptr, flags uint32) uintptr {
			return s.in("cuEventCreate", func() uintptr { *event = uintptr(s.next()); s.events[*event] = nil; return 0 })
		},
		"cuEventRecord": func(event, stream uintptr) uintptr {
			return s.in("cuEventRecord", func() uintptr {
				m, err := s.streams[stream].Flush()
				s.events[event] = m
				return code(err)
			})
		},
		"cuEventSynchronize": func(event uintptr) uintptr {
			return s.in("cuEventSynchronize", func() uintptr { return code(s.events[event].Wait()) })
		},
		"cuEventDestroy_v2": func(event uintptr) uintptr {
			return s.in("cuEventDestroy", func() uintptr { delete(s.events, event); return 0 })
		},
		"cuMemcpyHtoDAsync_v2": func(to uint64, from unsafe.Pointer, bytes uintptr, stream uintptr) uintptr {
			return s.in("cuMemcpyHtoDAsync", func() uintptr { return code(s.streams[stream].Write(s.memory[to], s.pinned[from], int(bytes))) })
		},
		"cuMemcpyDtoHAsync_v2": func(to unsafe.Pointer, from uint64, bytes uintptr, stream uintptr) uintptr {
			return s.in("cuMemcpyDtoHAsync", func() uintptr { return code(s.streams[stream].Read(s.pinned[to], s.memory[from], int(bytes))) })
		},
		"cuLaunchKernel": s.launch,
	}
}

func str(p *byte) string {
	var b []byte
	for ; *p != 0; p = (*byte)(unsafe.Add(unsafe.Pointer(p), 1)) {
		b = append(b, *p)
	}
	return string(b)
}

// load builds the source of the program that the PTX was made of.
func (s *standIn) load(m *uintptr, image *byte, n uint32, options *uint32, values unsafe.Pointer) uintptr {
	return s.in("cuModuleLoadDataEx", func() uintptr {
		ptx := str(image)
		_, target, _ := strings.Cut(ptx, ".target ")
		target, _, _ = strings.Cut(target, "\n")
		s.loads = append(s.loads, target)
		if target == "sm_90a" { // which OpenCL cannot compute
			return 209
		}
		program := kernels.Form{}.Program()
		if strings.Contains(ptx, "mma.sync") {
			program = kernels.Form{Half: true, Tensor: true}.Program()
		} else if strings.Contains(ptx, ".entry weightGradient(") {
			program = kernels.Training()
		} else if !strings.Contains(ptx, ".version") {
			s.problem("no PTX: %.60q", ptx)
		}
		if o := unsafe.Slice(options, n); n != 2 || o[0] != 5 || o[1] != 6 {
			s.problem("the options are %d", o)
		}
		if _, bad := s.fails["the compiler"]; bad {
			v := unsafe.Slice((*unsafe.Pointer)(values), 2)
			copy(unsafe.Slice((*byte)(v[0]), uintptr(v[1])), "ptxas error : a label is missing\nmore\x00")
			return 218
		}
		c, err := s.on.Open(program)
		if err != nil {
			s.problem("%v", err)
			return 218
		}
		s.modules = append(s.modules, &module{c, program.Source})
		*m = uintptr(len(s.modules))
		return 0
	})
}

// parameters finds the parameters of a kernel in a source.
var parameters = regexp.MustCompile(`void (\w+)\(([^)]*)\)`)

func (s *standIn) launch(f uintptr, gridX, gridY, gridZ, blockX, blockY, blockZ, shared uint32, stream uintptr, args *unsafe.Pointer, extra uintptr) uintptr {
	return s.in("cuLaunchKernel", func() uintptr {
		l, failed := s.launchOf(f, gridX, gridY, gridZ, blockX, blockY, blockZ, shared, args, extra)
		if failed != 0 {
			return failed
		}
		defer l.Kernel.Release()
		return code(s.streams[stream].Launch(l))
	})
}

// launchOf reads the arguments of a launch as their kinds in the source say.
func (s *standIn) launchOf(f uintptr, gridX, gridY, gridZ, blockX, blockY, blockZ, shared uint32, args *unsafe.Pointer, extra uintptr) (l compute.Launch, code uintptr) {
	fn := s.functions[f-1]
	if gridZ != 1 || blockY != 1 || blockZ != 1 || shared != s.dynamic[f] || extra != 0 {
		s.problem("%s: a grid of %d, blocks of %dx%d, shared %d, extra %d", fn.name, gridZ, blockY, blockZ, shared, extra)
	}
	generic := map[string]string{"dense": "NAME", "denseStored": "NAME"}
	var list string
	for _, m := range parameters.FindAllStringSubmatch(strings.ReplaceAll(fn.module.source, "\\\n", " "), -1) {
		wanted := fn.name
		if g, ok := generic[fn.name]; ok {
			wanted = g
		} else if strings.HasPrefix(fn.name, "conv") {
			wanted = "conv"
		}
		if m[1] == wanted {
			list = m[2]
			break
		}
	}
	kinds := strings.Split(list, ",")
	pointers := unsafe.Slice(args, len(kinds))
	var values []any
	for i, kind := range kinds {
		if strings.Contains(kind, "__global") {
			b, ok := s.memory[*(*uint64)(pointers[i])]
			if !ok {
				s.problem("%s: argument %d is no memory of the device", fn.name, i)
				return l, 700
			}
			values = append(values, b)
			continue
		}
		values = append(values, *(*int32)(pointers[i]))
	}
	k, err := fn.module.context.Kernel(fn.name, int(blockX), values...)
	if err != nil {
		s.problem("%v", err)
		return l, invalidValue
	}
	return compute.Launch{Kernel: k, Groups: [2]int{int(gridX), int(gridY)}}, 0
}

// left says what was not freed.
func (s *standIn) left() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d pieces of memory, %d pinned, %d streams, %d events", len(s.memory), len(s.pinned), len(s.streams), len(s.events))
	return b.String()
}
