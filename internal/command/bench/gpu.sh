#!/bin/sh
# Measures a graphics processor: whether it computes what the processor does, and how fast it is.
# Run it in the root of the repository, with nothing else running:
#
#   sh internal/command/bench/gpu.sh DEVICE [PART...]
#
# DEVICE is cuda:0, opencl:0 and so on. The parts are, all by default:
#
#   tests    do the device's results and gradients agree with the processor's? The tests try every device that there
#            is, and say which they skip (a few minutes)
#   speed    evaluations/s and training samples/s, those of the processor, and each launch of a batch on its own
#            (a few minutes)
#   bench    the same with PyTorch on the same device (half an hour; PYTHON names a Python that has it)
#   learn    20 minutes of the preset gpu, then two hours of desktop on two cores, then 100 games
#   busy     the share of the time that the device computes in self-play with the network that learn has
#            made, of 10x128 (two minutes; needs nvidia-smi)
#
# What is printed stays in runs/gpu-measured. Each part may be run by itself; learn continues where it was
# stopped. If a part fails, the others follow, and the script fails in the end. SIZES, GPU_TIME, CPU_TIME and GAMES
# change what their names say.
set -eu

device=${1:?"usage: sh internal/command/bench/gpu.sh DEVICE [tests] [speed] [bench] [learn] [busy]"}
shift
[ $# -gt 0 ] || set -- tests speed bench learn busy

out=runs/gpu-measured
mkdir -p "$out"
go build -o "$out/bin/" ./cmd/warren

# newest names the newest network of the run $out/$1.
newest() {
	find "$out/$1/networks" -name 'gen-*.safetensors' | sort | tail -n 1
}

tests() {
	rm -f "$out/agreed"
	{
		go test -count=1 -v ./internal/eval/gpu ./internal/eval/device ./internal/learn/gpu ./internal/learn/device ./internal/compute/... &&
			touch "$out/agreed"
	} | grep -v '^=== '
	[ -e "$out/agreed" ]
}

speed() {
	"$out/bin/warren" speed --devices --on cpu --on "$device"
	go test -run '^$' -bench Launches ./internal/eval/gpu
}

bench() {
	for size in ${SIZES:-6x64 10x128 20x256}; do
		"$out/bin/warren" bench infer --device "$device" --threads 1,4 --size "$size" --python "${PYTHON:-python3}"
		"$out/bin/warren" bench train --device "$device" --size "$size" --python "${PYTHON:-python3}"
	done
}

# The rise of the visits is that of the presets, at the pace of a run of this length.
learn() {
	"$out/bin/warren" train --config gpu --run "$out/gpu" --set device="$device" --set learner.device="$device" --set match.every=0 \
		--set loop.duration="${GPU_TIME:-20m}" --set selfplay.visits.games=20000
	GOMAXPROCS=2 "$out/bin/warren" train --config desktop --run "$out/desktop" --set device=cpu --set match.every=0 \
		--set loop.duration="${CPU_TIME:-2h}" --set selfplay.visits.games=17500
	"$out/bin/warren" evaluate --games "${GAMES:-100}" "net:$(newest gpu),device=$device,visits=64" "net:$(newest desktop),visits=64"
}

busy() {
	rm -rf "$out/busy"
	timeout -s INT 120 "$out/bin/warren" selfplay --config gpu --network "$(newest gpu)" --out "$out/busy" --games 0 \
		--set device="$device" --set selfplay.visits.games=0 &
	playing=$!
	sleep 60 # until all games are under way
	nvidia-smi --query-gpu=utilization.gpu,power.draw --format=csv,noheader,nounits --loop=1 >"$out/busy.csv" &
	watching=$!
	status=0
	wait "$playing" || status=$?
	kill "$watching"
	[ "$status" = 124 ] # of timeout at the end of the time: without a limit, self-play ends before only if it fails
	awk -F, '{ busy += $1; power += $2 } END { if (NR) printf "the device computed in %.1f%% of the time, at %.0f W, over %d s\n", busy/NR, power/NR, NR }' "$out/busy.csv"
}

failed=
for part in "$@"; do
	case $part in
	tests | speed | bench | learn | busy) ;;
	*)
		echo "gpu.sh: there is no part $part: the parts are tests, speed, bench, learn and busy" >&2
		exit 2
		;;
	esac
	echo "== $part, $device, $(date)"
	rm -f "$out/passed"
	{
		"$part"
		touch "$out/passed"
	} 2>&1 | tee -a "$out/$part.log"
	[ -e "$out/passed" ] || failed="$failed $part"
done
if [ -n "$failed" ]; then
	echo "gpu.sh: failed:$failed" >&2
	exit 1
fi
