import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import type { CommandLimits } from './limits.ts'

/** Returns a process on Linux and its descendants. */
function processesBelow(root: number, most: number): readonly number[] {
  const found = [root]
  for (const pid of found) {
    if (found.length > most) break
    for (const task of namesIn(`/proc/${pid}/task`)) found.push(...numbersIn(textOf(`/proc/${pid}/task/${task}/children`)))
  }
  return found
}

/** Returns the kind of use that exceeds `limits`; undefined if none does or if the use is unknown. */
export function overLimits(root: number, limits: CommandLimits): keyof CommandLimits | undefined {
  if (process.platform !== 'linux') return undefined
  const pids = processesBelow(root, limits.processes)
  const statuses = pids.map((pid) => textOf(`/proc/${pid}/status`))
  if (sum(statuses.map((text) => fieldOf(text, 'Threads'))) > limits.processes) return 'processes'
  const rough = statuses.map((text) => 1024 * (fieldOf(text, 'RssAnon') + fieldOf(text, 'RssShmem')))
  const files = sum(pids.map(filesInMemory))
  if (sum(rough) + files <= limits.memory) return undefined
  // A page that processes share was counted for each of them. An exact count takes longer, and a process can prevent
  // it.
  const exact = pids.map((pid, i) => {
    const text = textOf(`/proc/${pid}/smaps_rollup`)
    return text === '' ? (rough[i] ?? 0) : 1024 * sharedMemory(text)
  })
  return sum(exact) + files > limits.memory ? 'memory' : undefined
}

/** Returns the bytes of the unnamed files that a process keeps in memory; mapped parts of them count twice. */
function filesInMemory(pid: number): number {
  return sum(
    namesIn(`/proc/${pid}/fd`).map((handle) => {
      const path = `/proc/${pid}/fd/${handle}`
      try {
        return readlinkSync(path).startsWith('/memfd:') ? statSync(path).blocks * 512 : 0
      } catch {
        return 0
      }
    }),
  )
}

function sharedMemory(text: string): number {
  return fieldOf(text, 'Pss_Anon') + fieldOf(text, 'Pss_Shmem')
}

function fieldOf(text: string, name: string): number {
  const at = text.indexOf(`\n${name}:`)
  return at < 0 ? 0 : Number.parseInt(text.slice(at + name.length + 2), 10) || 0
}

/** Returns the text of a file; empty for a process that has ended meanwhile. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

function numbersIn(text: string): readonly number[] {
  return text
    .split(' ')
    .map(Number)
    .filter((pid) => pid > 0)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0)
}
