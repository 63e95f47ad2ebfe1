/** Prints the resident memory in MB of a process that builds the columns of a planted log and mines its words: `node memory.ts 1000000`. */
import { planted } from './planted.ts'
import { columnsOf, minedWords } from './words.ts'

// The maximum that the system reports begins with that of the process which started this one.
const columns = columnsOf(planted({ seed: 7, events: Number(process.argv[2]) }))
const before = process.memoryUsage.rss()
minedWords(columns)
process.stdout.write(String(Math.round(Math.max(before, process.memoryUsage.rss()) / 1e6)))
