package recipe

import (
	"fmt"
	"strings"

	"warren/internal/selfplay"
	"warren/internal/settings"
	"warren/mcts"
)

// ofGames are the settings that affect the course of a game.
type ofGames struct {
	SelfPlay selfplay.Config `yaml:"selfplay"`
	Search   mcts.Config     `yaml:"search"`
}

// settingsOfGames leaves out the number of workers and of games per worker, which have no effect.
func settingsOfGames(play selfplay.Config, search mcts.Config) ofGames {
	play.Workers, play.GamesPerWorker = 0, 1
	return ofGames{play, search}
}

// HashOfGames returns a hash, for game records, of the settings that affect the
// course of a game. The number of workers and of games per worker does not.
func HashOfGames(play selfplay.Config, search mcts.Config) (string, error) {
	hash, err := settings.Hash(settingsOfGames(play, search))
	if err != nil {
		return "", fmt.Errorf("hashing the settings of the games: %w", err)
	}
	return hash, nil
}

// TextOfGames returns the same settings for people to read, a line key=value for each.
func TextOfGames(play selfplay.Config, search mcts.Config) (string, error) {
	list, err := settings.List(settingsOfGames(play, search))
	if err != nil {
		return "", fmt.Errorf("listing the settings of the games: %w", err)
	}
	var text strings.Builder
	for _, s := range list {
		if s.Key == "selfplay.workers" || s.Key == "selfplay.games_per_worker" {
			continue
		}
		fmt.Fprintf(&text, "%s=%s\n", s.Key, s.Value)
	}
	return text.String(), nil
}
