#!/bin/sh
# Measures a graphics processor: whether it computes what the processor does, and how fast it is.
# Run it in the root of the repository, with nothing else running:
#
#   sh internal/command/bench/gpu.sh DEVICE [PART...]
#
# DEVICE is cuda:0, opencl:0 and so on. The parts are, by default the first five, which take 570 s with BIN:
#
#   tests    do the device's results and gradients agree with the processor's?
#   bench    evaluations/s in fp16 and int8, in turns with PyTorch on TORCH (cuda:0)
#   play     self-play with 6x64, and that of OLD, an earlier selfplay, if it is given
#   busy     self-play and learning of the preset gpu with 66 and 132 games for each worker, and how busy the device is
#   opencl   self-play with 6x64 on opencl:0
#   speed    what warren speed says, and training samples/s in turns with PyTorch
#   learn    LEARN_TIME (500) seconds of the preset gpu
#   ladder   GAMES (100) games of learn's network, or of NETWORK, on the processor against 16 hours of desktop
#
# On a machine without Go, BIN names a directory with programs that another has built:
#
#   CGO_ENABLED=1 go build -ldflags='-s -w' -o BIN/ ./cmd/warren
#   for p in compute/cuda eval/gpu eval/device learn/gpu learn/device; do
#     go test -c -o BIN/$(echo $p | tr / -).test ./internal/$p; done
#
# OLD is built the same way at an earlier commit, from ./cmd/selfplay. What is printed, the networks and the metrics
# stay in OUT (runs/gpu). TEST_TIME, BENCH_TIME, PLAY_TIME and BUSY_TIME are the most seconds for a test program, a
# comparison, and each run of play, opencl and busy. If a part fails, the others follow, and the script fails in the end.
set -eu

device=${1:?"usage: sh internal/command/bench/gpu.sh DEVICE [tests] [bench] [play] [busy] [opencl] [speed] [learn] [ladder]"}
shift
[ $# -gt 0 ] || set -- tests bench play busy opencl
learner=${device%/int8} learner=${learner%/fp16} # which learning does not have
out=${OUT:-runs/gpu}
small=docs/climb/stage-11.safetensors
mkdir -p "$out"
bin=$(cd "${BIN:-.}" && pwd)

if [ -n "${BIN:-}" ]; then
	warren=$BIN/warren
else
	go build -o "$out/bin/" ./cmd/warren
	warren=$out/bin/warren
fi

# during runs a command for a number of seconds. One that ends before then has failed.
during() {
	seconds=$1 status=0
	shift
	timeout -s INT -k 20 "$seconds" "$@" || status=$?
	[ "$status" = 124 ]
}

tests() {
	status=0
	for p in compute/cuda eval/gpu eval/device learn/gpu learn/device; do
		if [ -n "${BIN:-}" ]; then
			# Interpreted tests use no device; those of CUDA use a stand-in for its driver, over OpenCL.
			(cd "internal/$p" && timeout "${TEST_TIME:-35}" "$bin/$(echo $p | tr / -).test" -test.v -test.skip 'Interpreted|CUDA') || status=1
		else
			go test -count=1 -v -timeout "${TEST_TIME:-600}s" "./internal/$p" || status=1
		fi
	done
	return $status
}

# against compares with PyTorch. Trying its own kernels in Triton takes longer than a machine may be lent.
against() {
	TORCHINDUCTOR_MAX_AUTOTUNE_CONV_BACKENDS=ATEN TORCHINDUCTOR_MAX_AUTOTUNE_GEMM_BACKENDS=ATEN timeout "${BENCH_TIME:-60}" \
		"$warren" bench "$@" --torch "${TORCH:-cuda:0}" --size "${SIZE:-10x128}" --rounds 5 --time 500ms --python "${PYTHON:-python3}"
}

bench() {
	status=0
	against infer --device "${device%/int8}" --batch 4096 --threads 4 || status=1
	case $device in cuda*) against infer --device "${device%%/*}/int8" --batch 4096 --threads 4 || status=1 ;; esac
	return $status
}

speed() {
	"$warren" speed --devices --on cpu --on "$device"
	against train --device "$learner"
}

# selfplay plays with 6x64 by a program on a device.
selfplay() {
	rm -rf "$out/games"
	during "${PLAY_TIME:-50}" "$@" --config gpu --network "$small" --out "$out/games" --games 0
}

play() {
	selfplay "$warren" selfplay --set device="$device" --set selfplay.visits.games=0
	[ -z "${OLD:-}" ] || selfplay "$OLD" --set device="$device" --set selfplay.visits_games=1
}

opencl() {
	selfplay "$warren" selfplay --set device=opencl:0 --set selfplay.visits.games=0
}

# train runs the preset gpu in $out/$1 for $2 seconds, and prints the last point with the speeds, without which it fails.
train() {
	run=$out/$1 seconds=$2
	shift 2
	"$warren" train --config gpu --run "$run" --set device="$device" --set learner.device="$learner" \
		--set match.every=0 --set loop.duration="${seconds}s" --set selfplay.visits.games=20000 "$@" &&
		grep '"device/busy"' "$run/metrics.jsonl" | tail -n 1 | grep .
}

busy() {
	for games in 66 132; do
		rm -rf "$out/busy-$games"
		watching=
		case $device in
		cuda:[0-9]*)
			card=${device#cuda:}
			nvidia-smi -i "${card%%/*}" --query-gpu=utilization.gpu,power.draw --format=csv,noheader,nounits --loop=1 >"$out/busy-$games.csv" &
			watching=$!
			;;
		esac
		status=0
		train "busy-$games" "${BUSY_TIME:-60}" --set selfplay.games_per_worker=$games --set loop.bootstrap_games=1 || status=$?
		[ -z "$watching" ] || kill "$watching"
		[ "$status" = 0 ] || return "$status"
		[ -z "$watching" ] || tail -n 30 "$out/busy-$games.csv" | # once all games are under way
			awk -F, '{ b += $1; p += $2 } END { if (NR) printf "the device computed in %.1f%% of the time, at %.0f W, over %d s\n", b/NR, p/NR, NR }'
	done
}

learn() { train learn "${LEARN_TIME:-500}"; }

ladder() {
	network=${NETWORK:-$(find "$out/learn/networks" -name 'gen-*.safetensors' | sort | tail -n 1)}
	"$warren" evaluate --games "${GAMES:-100}" "net:$network,visits=64" net:docs/runs/desktop-16.safetensors,visits=64
}

failed=
for part in "$@"; do
	case $part in
	tests | bench | play | busy | opencl | speed | learn | ladder) ;;
	*)
		echo "gpu.sh: there is no part $part: the parts are tests, bench, play, busy, opencl, speed, learn and ladder" >&2
		exit 2
		;;
	esac
	echo "== $part, $device, $(date)"
	rm -f "$out/passed"
	{
		"$part"
		touch "$out/passed"
	} 2>&1 | tee -a "$out/$part.log"
	rm -rf "$out/games" "$out"/busy-*/games
	[ -e "$out/passed" ] || failed="$failed $part"
done
if [ -n "$failed" ]; then
	echo "gpu.sh: failed:$failed" >&2
	exit 1
fi
