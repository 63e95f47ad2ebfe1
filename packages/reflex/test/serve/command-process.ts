import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { SECRET } from './trigger-folder.ts'

const BIN = join(import.meta.dirname, '../../bin/reflex.js')

/** A process of the command, which ends with the test. */
export class CommandProcess {
  readonly child: ChildProcess
  readonly ended: Promise<unknown>
  out = ''

  constructor(folder: string, argv: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, [BIN, ...argv], {
      cwd: folder,
      env: { ...process.env, SECRET, REFLEX_ACTOR: 'ana', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.on('data', (data) => (this.out += String(data)))
    this.ended = new Promise((resolve) => this.child.on('close', resolve))
    onTestFinished(() => void this.child.kill('SIGKILL'))
  }

  async says(text: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = text.exec(this.out)
      if (found !== null) return found
      if (this.child.exitCode !== null) throw new Error(`ended without ${text.source}: ${this.out}`)
      await pause(10)
    }
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.ended
  }
}
