import { readFileSync, readSync, accessSync, constants, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, delimiter, isAbsolute, relative, resolve } from 'node:path'
import { emitKeypressEvents, type Key as NodeKey } from 'node:readline'
import type { WriteStream } from 'node:tty'
import { thisProcess } from '../app/host.ts'
import type { Worker } from '../kernel/index.ts'
import { EXIT, systemFix } from './exit.ts'
import type { Interrupt, Key, Sink, World } from './world.ts'
import { shellWord } from '../text/index.ts'

/**
 * The milliseconds within which two interrupts count as one: a wrapper may receive the terminal's interrupt and forward
 * it.
 */
const ONE_INTERRUPT = 500

/** The world of a command in a process. */
export interface ProcessWorld extends World {
  /** Returns the error of writing to standard output; undefined if the reader only stopped reading. */
  writeError(): Error | undefined
}

/** Returns the world of this process; only this file of the room touches the process. */
export function processWorld(): ProcessWorld {
  const surroundings = thisProcess()
  const { environment } = surroundings
  let unwritten: Error | undefined
  const out = sinkOf(process.stdout, environment, (error) => (unwritten = error))
  return {
    surroundings,
    out,
    send: (text) => out.send(text),
    err: sinkOf(process.stderr, environment, () => undefined),
    keyboard: process.stdin.isTTY ? listenToKeys : undefined,
    readInput: () => Promise.resolve(readAll()),
    receive: () => process.stdin,
    onInterrupt,
    command: commandWords({ cwd: surroundings.cwd, path: environment['PATH'] ?? '', script: process.argv[1] ?? '' }),
    version: ownVersion(),
    machine: { node: process.versions.node, system: `${process.platform} ${process.arch}`, home: homedir() },
    isAlive: (worker) => isAlive(worker, surroundings.worker.host),
    writeError: () => unwritten,
  }
}

/** Ends the process with an exit code once all output is written, even if work is still in progress. */
export function exitProcess(code: number, world: ProcessWorld): void {
  process.exitCode = code
  const end = (): void => {
    const error = world.writeError()
    if (error === undefined) process.exit(code)
    const message = `error R5040  standard output cannot be written: ${error.message}\n  fix    ${systemFix(error) ?? 'name another place'}\n`
    process.stderr.write(message, () => process.exit(EXIT.cannot))
  }
  process.stdout.write('', () => process.stderr.write('', end))
}

function sinkOf(
  stream: WriteStream,
  environment: Readonly<Record<string, string | undefined>>,
  onRefused: (error: NodeJS.ErrnoException) => void,
): Sink & Pick<World, 'send'> {
  let broken = false
  // A reader may stop reading; the remaining work does not depend on it.
  const failed = (error: NodeJS.ErrnoException | null | undefined): void => {
    if (!error || broken) return
    broken = true
    if (error.code !== 'EPIPE') onRefused(error)
  }
  stream.on('error', failed)
  return {
    write(text) {
      // The error event comes later than the write, perhaps after the end.
      if (!broken) stream.write(text, failed)
    },
    send: (text) =>
      new Promise((resolve) => {
        if (broken) return resolve(false)
        stream.write(text, (error) => {
          failed(error)
          resolve(!broken)
        })
      }),
    terminal: stream.isTTY && environment['TERM'] !== 'dumb',
    get rows() {
      return stream.rows
    },
    get columns() {
      return stream.columns
    },
  }
}

function readAll(): string {
  const parts: Buffer[] = []
  const part = Buffer.alloc(65_536)
  for (;;) {
    try {
      const read = readSync(0, part, 0, part.length, null)
      if (read === 0) return Buffer.concat(parts).toString('utf8')
      parts.push(Buffer.from(part.subarray(0, read)))
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException
      if (code === 'EOF') return Buffer.concat(parts).toString('utf8')
      if (code !== 'EAGAIN') throw thrown
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

function listenToKeys(listener: (key: Key) => void): () => void {
  const { stdin } = process
  const onKeypress = (text: string | undefined, key: NodeKey): void =>
    listener({ name: key.name, text: text ?? '', ctrl: key.ctrl === true })
  emitKeypressEvents(stdin)
  stdin.setRawMode(true)
  stdin.on('keypress', onKeypress)
  stdin.resume()
  return () => {
    stdin.off('keypress', onKeypress)
    stdin.setRawMode(false)
    stdin.pause()
  }
}

function onInterrupt(listener: (signal: Interrupt) => void): () => void {
  let first: number | undefined
  const onSignal = (signal: Interrupt): void => {
    const now = Date.now()
    if (first === undefined) listener(signal)
    // A second interrupt ends the process: everything recorded is safe.
    else if (now - first > ONE_INTERRUPT) process.exit(signal === 'SIGINT' ? 130 : 143)
    first ??= now
  }
  const signals: readonly Interrupt[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, onSignal)
  return () => {
    // After the first signal the handlers stay, so that a second one does not trigger the default action of the system.
    if (first === undefined) for (const signal of signals) process.off(signal, onSignal)
  }
}

function ownVersion(): string {
  const manifest = join(dirname(dirname(import.meta.dirname)), 'package.json')
  return String((JSON.parse(readFileSync(manifest, 'utf8')) as { version?: unknown }).version)
}

function isAlive({ host, pid }: Worker, here: string): boolean {
  if (host !== here || pid <= 0) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** The way in which this command was started. */
interface Invocation {
  /** The folder in which it was started. */
  readonly cwd: string
  /** The variable PATH. */
  readonly path: string
  /** The path of the file that Node was given: absolute, with symbolic links unresolved. */
  readonly script: string
}

/**
 * Returns the words that start this same command again from the same folder: `npx reflex` if a `node_modules` above
 * leads to this package, else `reflex` if the PATH leads to it, else the file that was started. Another package may
 * also be called `reflex`.
 */
export function commandWords({ cwd, path, script }: Invocation): string {
  const ownFile = realFile(script)
  const isOurs = (file: string): boolean => realFile(file) === ownFile || isShim(file)
  if (ownFile === undefined) return 'npx reflex'
  if (foldersAbove(cwd).some((folder) => isOurs(join(folder, 'node_modules/.bin/reflex')))) return 'npx reflex'
  const folders = path.split(delimiter).filter((folder) => folder !== '' && !folder.includes('node_modules'))
  if (folders.some((folder) => isOurs(join(folder, 'reflex')))) return 'reflex'
  const near = relative(cwd, script)
  const file = near.startsWith('..') || isAbsolute(near) ? script : `./${near}`
  return canRun(script) ? shellWord(file) : `node ${shellWord(file)}`
}

/** True if a file is a shim: Windows uses one instead of a link, and it cannot be followed. */
function isShim(file: string): boolean {
  return process.platform === 'win32' && canRun(`${file}.cmd`)
}

function foldersAbove(folder: string): string[] {
  const above = dirname(resolve(folder))
  return above === folder ? [folder] : [folder, ...foldersAbove(above)]
}

function realFile(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
