import { describe, expect, it, onTestFinished } from 'vitest'
import type { Stage } from '../../../../../scripts/histories/stage.ts'
import { skills } from '../../../../../scripts/histories/skills.ts'
import { isObject, type Json, type Store } from '../../../src/kernel/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { virtualHost } from '../../../src/testing/index.ts'
import { type LogContent, Reflex } from '../../../src/wrap/index.ts'
import { newFolder } from '../../app/folders.ts'

/** A place where a case is played, over a store in memory. */
function stageOf(logContent: LogContent): Stage & { readonly store: Store } {
  const [folder, host, store] = [newFolder(), virtualHost({ seed: 7 }), memoryStore()]
  const live = (): Reflex => {
    const worker = { id: 'one', host: 'test', pid: 2 ** 22 }
    const surroundings = { host, worker, cwd: folder, environment: {}, actor: 'ana' }
    const reflex = new Reflex({ workdir: folder, store, skill: { project: 'acme', logContent }, surroundings })
    onTestFinished(() => reflex.close())
    return reflex
  }
  return { folder, host, store, live }
}

/** Plays a case, replays its run, and returns what was decided: verdicts, reasons, and the calls in their order. */
async function decided(name: string, logContent: LogContent): Promise<Json> {
  const stage = stageOf(logContent)
  const run = (await skills[name]?.live(stage)) ?? ''
  const reflex = stage.live()
  const replayed = await reflex.replay(run)
  expect(replayed.fault?.message).toBeUndefined()
  expect(replayed.replayable).toBe(logContent === 'none' ? 'decisions' : undefined)
  return (await reflex.runtime.journal(run)).flatMap(({ more, requests = [] }) => {
    const { decision } = isObject(more?.note) ? more.note : {}
    const { verdict, reason, score, missing } = isObject(decision) ? decision : {}
    const said = verdict === undefined ? [] : [{ verdict, reason: reason ?? null, score: score ?? null, missing: missing ?? null }]
    return [...said, ...requests.map(([port]) => port)]
  })
}

describe('a turn of an agent with a skill, without contents', () => {
  // proves: skill 143
  it.each(Object.keys(skills))('is decided as with them, and replayed: %s', async (name) => {
    expect(await decided(name, 'none')).toEqual(await decided(name, 'redacted'))
  })
})
