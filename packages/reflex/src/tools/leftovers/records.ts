import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, join } from 'node:path'
import { isObject, type Json } from '../../kernel/index.ts'
import { systemCode } from '../refusals.ts'
import type { Before, Mark } from './scan-before.ts'

/** A running command, recorded for the next process in case this one dies. */
export interface CommandRecord {
  /** The machine of the process, or its container. */
  readonly machine: string
  readonly pid: number
  /**
   * The start time of the process, in ticks since the machine started: it distinguishes the process from another one
   * with a reused number.
   */
  readonly began: string
  readonly roots: readonly string[]
  readonly hidden: readonly string[]
  readonly named: readonly string[]
  readonly before: Before
  /** The private copies of repositories. */
  readonly copies: readonly string[]
}

/** A stored record, and its time by the clock of its file system. */
export interface StoredRecord {
  readonly file: string
  readonly since: number
  readonly record: CommandRecord
}

const FOLDER = '.reflex-commands'
/** The most milliseconds for a command and its clean-up: processes of another machine cannot be checked. */
const LONGEST = 7_200_000

/** Returns the start time of a process; undefined for a process that does not exist. */
export function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

/** Creates the file of a record. Returns its name and its time: everything that the command creates is newer. */
export function openRecord(state: string): { readonly file: string; readonly since: number } {
  const folder = join(state, FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (let i = 1; ; i++) {
    const file = join(folder, `${process.pid}-${i}.json`)
    try {
      writeFileSync(file, '', { flag: 'wx', mode: 0o600 })
      return { file, since: statSync(file).ctimeMs }
    } catch (thrown) {
      if (systemCode(thrown) !== 'EEXIST') throw thrown
    }
  }
}

export function writeRecord(file: string, since: number, record: CommandRecord): void {
  writeFileSync(file, JSON.stringify({ ...record, since }))
}

export function removeRecord(file: string): void {
  rmSync(file, { force: true })
}

/** Returns the records of a folder: those of living processes, and those that dead processes left. */
export function readRecords(
  state: string,
  now: number,
): { readonly active: readonly StoredRecord[]; readonly left: readonly StoredRecord[] } {
  const folder = join(state, FOLDER)
  const names = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder) : []
  const kept = names.flatMap((name) => readRecord(join(folder, name)))
  const lives = ({ record: { machine, pid, began }, since }: StoredRecord): boolean =>
    machine === hostname() ? processStart(pid) === began : now - since < LONGEST
  return { active: kept.filter(lives), left: kept.filter((one) => !lives(one)) }
}

/** Reads a record. An empty one belongs to a command that has not started; if its process has died, the file is removed. */
function readRecord(file: string): StoredRecord[] {
  try {
    if (statSync(file).size === 0 && processStart(Number.parseInt(basename(file), 10)) === undefined) removeRecord(file)
    const read = JSON.parse(readFileSync(file, 'utf8')) as Json
    if (!isObject(read)) return []
    const { since, ...record } = read
    return typeof since === 'number' ? [{ file, since, record: record as unknown as CommandRecord }] : []
  } catch {
    return []
  }
}

/**
 * Returns the entries that existed before a command and before every other running command: entries created by one of
 * these are excluded.
 */
export function existedBeforeAll(before: Before, active: readonly StoredRecord[], roots: readonly string[]): Before {
  const others = active.filter(({ record }) => record.roots.some((root) => roots.includes(root)))
  const known = others.map(({ record }) => new Set([...record.before.marks.map(({ path }) => path), ...record.before.doors]))
  const old = (path: string): boolean => known.every((paths) => paths.has(path))
  return { marks: before.marks.filter(({ path }: Mark) => old(path)), doors: before.doors.filter(old) }
}
