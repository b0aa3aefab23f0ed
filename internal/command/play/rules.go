package play

// rules tells the game to someone who has never seen it. Every line fits 80 columns.
const rules = `Aim: bring one of your rabbits to the far side: Gold's to rank 8, Silver's to 1.
You also win when the enemy has no rabbits left, or cannot move.

The pieces, from strong to weak, Gold's in capitals: E elephant, M camel,
H horse, D dog, C cat, R rabbit. First each side sets up its 16 on two ranks.

A turn is one to four steps, of one piece or of several. A step goes to a free
square to the north, east, south or west. Rabbits never step backward.

Push and pull: a piece moves a weaker enemy next to it, with two steps of one
turn. To push, the enemy steps away first, and your piece takes its place. To
pull, your piece steps away first, and the enemy takes its place.

Frozen: a piece next to a stronger enemy cannot step, push or pull, unless a
friend is next to it too. It can still be pushed and pulled.

Traps: a piece on c3, f3, c6 or f6 (x) is captured when no friend is next to it.
There is no other way to capture.

A turn must change the board, and may not repeat a position for the third time.

A step is written as piece, square, direction: Ed2n takes the elephant on d2 to
the north. hd5n Ed4n pushes the horse on d5 with the elephant on d4, and
Ed4s hd5s pulls it. rc3x says that the rabbit on c3 was captured.
"moves" lists what can be played, "hint" asks the network.
`
