import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { isFault } from '../../src/kernel/index.ts'
import type { ReflexOptions } from '../../src/app/options.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'

/** A `Reflex` over a store in memory, in a folder of its own, with a clock that stands still. */
export function reflexOf(options: ReflexOptions = {}): Reflex {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-back-')))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const worker = { id: 'back', host: 'here', pid: process.pid }
  const surroundings = { host: virtualHost(), worker, cwd, environment: {}, actor: 'ana' }
  return new Reflex({ store: memoryStore(), surroundings, workdir: cwd, ...options })
}

export async function faultOf(promise: Promise<unknown>): Promise<{ code: string; message: string; data: unknown }> {
  try {
    await promise
  } catch (thrown) {
    if (isFault(thrown)) return { code: thrown.code, message: thrown.message, data: thrown.data }
    throw thrown
  }
  throw new Error('nothing was thrown')
}
