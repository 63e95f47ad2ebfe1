import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { openStore } from '../../../../src/store/index.ts'
import { virtualHost } from '../../../../src/testing/index.ts'
import { newFolder } from '../../../app/folders.ts'
import { changed } from '../skills.ts'
import { activate, RELEASE } from '../../../wrap/session/world.ts'

const CHILD = resolve(import.meta.dirname, 'child.ts')

/** What a process does. */
export interface Order {
  readonly folder: string
  readonly what: 'run' | 'resume'
  /** The name of its run. */
  readonly run?: string
  readonly tag?: string
  /** Its skill waits for a file of this name. */
  readonly waits?: string
  /** The call at which it kills itself, before or after the world has the call. */
  readonly dies?: { readonly at: number; readonly after: boolean }
}

/** A folder with a store in which the skill is active. */
export async function place(change: Parameters<typeof changed>[1] = {}): Promise<string> {
  const folder = newFolder()
  const store = openStore(join(folder, 'reflex.db'))
  await activate({ store, host: virtualHost({ at: Date.now() }) }, changed(RELEASE, change) as object, ['set_tag'])
  await store.close()
  return folder
}

/** The calls that tools and the model of all processes have got. */
export function callsIn(folder: string): readonly string[] {
  const file = join(folder, 'calls.txt')
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
}

/** A process of a test. */
export class Process {
  readonly ended: Promise<{ readonly said: string | undefined; readonly trace: string; readonly error: string }>
  readonly #child: ChildProcess
  readonly #waiting: ((text: string) => void)[] = []
  #output = ''

  constructor(order: Order) {
    this.#child = spawn(process.execPath, [CHILD, JSON.stringify(order)])
    onTestFinished(() => void this.#child.kill('SIGKILL'))
    let error = ''
    this.#child.stdout?.on('data', (text: Buffer) => {
      this.#output += text.toString()
      for (const look of this.#waiting) look(this.#output)
    })
    this.#child.stderr?.on('data', (text: Buffer) => void (error += text.toString()))
    this.ended = new Promise((done) => {
      this.#child.on('close', () => {
        for (const look of this.#waiting) look('called')
        done({ said: this.#find('said'), trace: this.#find('trace') ?? '', error })
      })
    })
  }

  /** Resolves once its skill has called its tool, or it has ended. */
  called(): Promise<void> {
    return new Promise((done) => {
      const look = (text: string): void => void (text.includes('called') && done())
      this.#waiting.push(look)
      look(this.#output)
    })
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #find(key: string): string | undefined {
    const line = this.#output.split('\n').find((one) => one.startsWith(`{"${key}"`))
    return line === undefined ? undefined : (JSON.parse(line) as Record<string, string>)[key]
  }
}
