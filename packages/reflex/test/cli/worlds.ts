import { copyFileSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ClusterPackage } from '../../src/store/index.ts'
import { runCommand } from '../../src/cli/main.ts'
import type { Interrupt, Key, World } from '../../src/cli/world.ts'
import { digest } from '../../src/kernel/index.ts'
import { type VirtualHost, virtualHost } from '../../src/testing/index.ts'
import { screenOf } from './screen.ts'

const PROGRAMS = join(import.meta.dirname, 'programs')

/** A work folder with the programs of these tests, and nothing above it that is a store. */
export function workFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-cli-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  for (const name of readdirSync(PROGRAMS)) copyFileSync(join(PROGRAMS, name), join(folder, name))
  return folder
}

export interface WorldOptions {
  readonly folder: string
  /** Cells of a terminal; none: a pipe. */
  readonly columns?: number
  /** Whether keys can be pressed. Default: with a terminal. */
  readonly keyboard?: boolean
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
  /** The clock of this world; one of its own if absent. */
  readonly host?: VirtualHost
  /** Whether other processes live. Default: those with the number of this one. */
  readonly alive?: boolean
  /** The engine of clusters. */
  readonly clusters?: ClusterPackage
  /** How a person starts this command. */
  readonly command?: string
  /** Who starts the command. */
  readonly actor?: string
  /** The version of Node that the command finds itself on. */
  readonly node?: string
}

/** A command that is running, or has ended. */
export interface Running {
  readonly ended: Promise<Ended>
  /** Resolves once the terminal shows a text. */
  shows(text: string): Promise<void>
  press(...keys: readonly (string | Key)[]): void
  interrupt(signal: Interrupt): void
  screen(): string
}

export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
  /** Both together, as one terminal shows them. */
  readonly screen: string
  readonly raw: string
}

const NAMES: Readonly<Record<string, string>> = {
  enter: 'return',
  up: 'up',
  down: 'down',
  escape: 'escape',
  backspace: 'backspace',
  left: 'left',
  right: 'right',
}
let worlds = 0

/** Starts a command in a world of its own. */
export function start(argv: readonly string[], options: WorldOptions): Running {
  const { columns, folder } = options
  let out = ''
  let err = ''
  let raw = ''
  let keys: ((key: Key) => void) | undefined
  let interrupts: ((signal: Interrupt) => void) | undefined
  const waiting = new Set<() => void>()
  const written = (text: string): void => {
    raw += text
    for (const check of waiting) check()
  }
  const sink = (take: (text: string) => void) => ({
    write(text: string) {
      take(text)
      written(text)
    },
    terminal: columns !== undefined,
    columns,
  })
  const listen = (listener: (key: Key) => void): (() => void) => {
    keys = listener
    return () => {
      keys = undefined
    }
  }
  const id = ++worlds
  const world: World = {
    surroundings: {
      host: options.host ?? virtualHost({ seed: id }),
      worker: { id: `cli${process.pid}-${id}`, host: 'here', pid: process.pid },
      cwd: folder,
      environment: { XDG_STATE_HOME: join(folder, 'state'), ...options.environment },
      actor: options.actor ?? 'ana',
      seal: (text) => digest(`the secret of these tests ${text}`),
      ...(options.clusters === undefined ? {} : { clusters: options.clusters }),
    },
    out: sink((text) => (out += text)),
    err: sink((text) => (err += text)),
    keyboard: (options.keyboard ?? columns !== undefined) ? listen : undefined,
    async send(text) {
      out += text
      written(text)
      return true
    },
    readInput: () => Promise.resolve(options.input ?? ''),
    async *receive() {
      yield options.input ?? ''
    },
    onInterrupt(listener) {
      interrupts = listener
      return () => {
        interrupts = undefined
      }
    },
    command: options.command ?? 'reflex',
    version: '0.0.0',
    machine: { node: options.node ?? '24.1.0', system: 'linux x64', home: join(folder, 'home') },
    isAlive: ({ pid }) => options.alive ?? pid === process.pid,
  }
  const screen = (): string => screenOf(raw, columns ?? 10_000)
  const ended = runCommand(argv, world).then((code): Ended => ({ code, out, err, screen: screen(), raw }))
  return {
    ended,
    screen,
    shows: (text) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!screen().includes(text)) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        void ended.then(
          ({ screen }) => (screen.includes(text) ? resolve() : reject(new Error(`ended without ${text}:\n${screen}`))),
          reject,
        )
        check()
      }),
    press: (...pressed) => {
      for (const key of pressed)
        keys?.(
          typeof key !== 'string'
            ? key
            : { name: NAMES[key] ?? (key.length === 1 ? key : undefined), text: NAMES[key] === undefined ? key : '', ctrl: false },
        )
    },
    interrupt: (signal) => interrupts?.(signal),
  }
}

/** Runs a command to its end. */
export function reflex(argv: readonly string[], options: WorldOptions): Promise<Ended> {
  return start(argv, options).ended
}

export const CTRL_C: Key = { name: 'c', text: '\u0003', ctrl: true }

/** Lines without what differs from one machine to the next: times and hashes. */
export function normal(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '2026-11-20T14:02:07Z')
    .replace(/\b\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)( \d{4})? \d\d:\d\d(:\d\d)?/g, '23 Nov 14:02')
    .replace(/\b\d\d:\d\d:\d\d\b/g, '14:02:07')
    .replace(/@[0-9a-f]{6}\b/g, '@3f9c21')
    .replace(/\b[0-9a-f]{32}\b/g, '0af7651916cd43dd8448eb211c80319c')
}
