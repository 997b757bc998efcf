// Says when schedules are due by the module that the reference reads them with: a case of JSON a line, and an answer each.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"time"

	"github.com/robfig/cron/v3"
)

type question struct {
	Schedule string `json:"schedule"`
	Zone     string `json:"zone"`
	// Milliseconds since 1970.
	After int64 `json:"after"`
	Count int   `json:"count"`
}

type answer struct {
	Problem string `json:"problem,omitempty"`
	// Milliseconds since 1970; fewer than asked for where there are no more.
	Times []int64 `json:"times"`
}

func answerTo(asked question) answer {
	zone, err := time.LoadLocation(asked.Zone)
	if err != nil {
		return answer{Problem: err.Error(), Times: []int64{}}
	}
	schedule, err := cron.ParseStandard(asked.Schedule)
	if err != nil {
		return answer{Problem: err.Error(), Times: []int64{}}
	}
	times := []int64{}
	at := time.UnixMilli(asked.After).In(zone)
	for range asked.Count {
		at = schedule.Next(at)
		if at.IsZero() {
			break
		}
		times = append(times, at.UnixMilli())
	}
	return answer{Times: times}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	output := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		if err := output.Encode(answerTo(asked)); err != nil {
			panic(err)
		}
	}
}
