import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { isFault, type Fault, type Json, systemHost } from '../../src/kernel/index.ts'
import { createTools, type ToolCall, type Tools, type ToolsSettings } from '../../src/tools/index.ts'

/** A folder that is removed after the test. Its path is real. */
export function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-tools-')))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export function write(path: string, text: string | Uint8Array): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

export const PATH = '/usr/local/bin:/usr/bin:/bin'

export function tools(settings: Partial<ToolsSettings> = {}): Tools {
  return createTools({ host: systemHost, environment: { PATH, HOME: '/nowhere' }, ...settings })
}

/** A call in a work folder that may read and write there, with the capabilities that start with `also`. */
export function callIn(workdir: string, change: Partial<ToolCall> = {}): ToolCall {
  return {
    workdir,
    runFolder: join(workdir, '.reflex/runs/otter'),
    signal: new AbortController().signal,
    key: 'otter:1',
    part: () => undefined,
    allows: (capability) => allowed(workdir, capability),
    denies: () => false,
    ...change,
  }
}

function allowed(workdir: string, capability: string): boolean {
  const own = [`arbor://fs/read${workdir}`, `arbor://fs/write${workdir}`]
  return /^arbor:\/\/(tool|shell)\//.test(capability) || own.some((prefix) => capability === prefix || capability.startsWith(`${prefix}/`))
}

export function use(name: string, args: Json, call: ToolCall, all: Tools = tools()): Promise<Json> {
  return all.prepare(name, args).run(call)
}

/** Returns the fault that a call throws. */
export async function refusal(work: () => unknown): Promise<Fault> {
  try {
    await work()
  } catch (thrown) {
    if (isFault(thrown)) return thrown
    throw thrown
  }
  throw new Error('nothing was refused')
}

const ENVIRONMENT = {
  PATH,
  HOME: '/nowhere',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ana Ñ',
  GIT_AUTHOR_EMAIL: 'ana@example.org',
  GIT_COMMITTER_NAME: 'Bo',
  GIT_COMMITTER_EMAIL: 'bo@example.org',
}

/** Runs git as a person uses it, in a repository of a test. */
export class Sandbox {
  readonly root: string
  #time = 1_700_000_000

  constructor(root: string, ...options: readonly string[]) {
    this.root = root
    mkdirSync(root, { recursive: true })
    this.git('init', '--quiet', '--initial-branch=main', ...options)
  }

  git(...args: readonly string[]): string {
    this.#time += 60
    const date = `${this.#time} +0200`
    return execFileSync('git', args, {
      cwd: this.root,
      env: { ...ENVIRONMENT, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
      encoding: 'utf8',
      stdio: 'pipe',
    })
  }

  /** Commits files and returns the hash. */
  commit(message: string, files: Readonly<Record<string, string>> = {}): string {
    for (const [name, text] of Object.entries(files)) write(join(this.root, name), text)
    this.git('add', '--all')
    this.git('commit', '--quiet', '--allow-empty', '--allow-empty-message', '-m', message)
    return this.git('rev-parse', 'HEAD').trim()
  }
}

/** The reason why commands cannot run in a sandbox here; undefined if they can. */
export async function noSandbox(): Promise<string | undefined> {
  const work = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-tools-')))
  try {
    await use('command', { argv: ['true'], sandbox: 'strict' }, callIn(work))
    return undefined
  } catch (thrown) {
    return isFault(thrown) ? thrown.message : String(thrown)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The same call without the permission to run commands outside a sandbox. */
export function confinedIn(workdir: string, change: Partial<ToolCall> = {}): ToolCall {
  return callIn(workdir, {
    allows: (capability) => capability !== 'arbor://shell/exec/unsandboxed' && allowed(workdir, capability),
    ...change,
  })
}

// What vitest's own matchers are, but not `any`.
export const containing = (text: string): unknown => expect.stringContaining(text)
export const lacking = (text: string): unknown => expect.not.stringContaining(text)
export const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern)
export const including = (items: readonly unknown[]): unknown => expect.arrayContaining([...items])
export const having = (fields: Readonly<Record<string, unknown>>): unknown => expect.objectContaining(fields)
