import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import type { LlmText } from '../../../../src/kinds/pipeline/index.ts'
import { run } from '../../../../src/kinds/pipeline/face/run.ts'
import { casesOf } from '../../../cases.ts'
import { workFolder } from './session-world.ts'

/** What stands around the pipeline of a case: inputs, files, what models answer by node, what actions of the host give in turn. */
interface World {
  readonly inputs?: JsonObject
  readonly files?: Readonly<Record<string, string>>
  readonly replies?: Readonly<Record<string, readonly (string | LlmText)[]>>
  readonly actions?: Readonly<Record<string, readonly JsonObject[]>>
}

interface Expected {
  readonly status: string
  readonly trail: readonly string[]
  readonly context: JsonObject
  readonly files?: Readonly<Record<string, string>>
}

/** Gives one after the other; asking for more than there are is a mistake of the case. */
function inTurn<Value>(name: string, values: readonly Value[]): () => Value {
  const left = [...values]
  return () => {
    const next = left.shift()
    if (next === undefined) throw new Error(`${name} is asked for once more than the case says`)
    return next
  }
}

// Folders with a pipeline, the world around it, and what must come of it.
// proves: pipeline 4.6.2i, pipeline 13j
test.each(casesOf('pipeline-runs'))('$name', async (it) => {
  const { inputs = {}, files = {}, replies = {}, actions = {} } = it.json('world.json') as World
  const expected = it.json('expected.json') as Expected
  const workdir = workFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workdir, name)), { recursive: true })
    writeFileSync(join(workdir, name), text)
  }
  const answers = new Map(Object.entries(replies).map(([id, list]) => [id, inTurn(id, list)]))
  const went = await run(it.text('program.dot'), {
    initial_values: inputs,
    workdir,
    logs_root: false,
    trust: 'trusted',
    llm_backend: ({ id }) => answers.get(id)?.() ?? `[Simulated] ${id}`,
    actions: Object.fromEntries(Object.entries(actions).map(([name, list]) => [name, inTurn(name, list)])),
  })
  expect(went.failure_reason).toBeNull()
  expect(went.status).toBe(expected.status)
  expect(went.completed_nodes).toEqual(expected.trail)
  expect(went.context).toMatchObject(expected.context)
  for (const [name, text] of Object.entries(expected.files ?? {})) expect(readFileSync(join(workdir, name), 'utf8')).toBe(text)
})
