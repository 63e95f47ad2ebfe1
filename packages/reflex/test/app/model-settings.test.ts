import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ModelRequest, scriptedModel } from '../../src/models/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { lifeIn, newFolder } from './folders.ts'

test.each([
  ['what it states', 'max_tokens=4096, reasoning_effort=low, temperature=0.5, try_timeout="3s"', [4_096, 'low', 0.5, undefined, 3_000]],
  ['nothing that it does not state', 'llm_model=""', [undefined, undefined, undefined, undefined, undefined]],
])('a stage of a pipeline sends its model %s', async (_, attributes, sent) => {
  const folder = newFolder()
  const asked: ModelRequest[] = []
  const model = scriptedModel((request) => {
    asked.push(request)
    return 'said'
  })
  const reflex = lifeIn(folder, { model, store: memoryStore() })
  const file = join(folder, 'p.dot')
  writeFileSync(file, `digraph p { start [shape=Mdiamond] a [prompt="Say.", ${attributes}] done [shape=Msquare] start -> a -> done }`)
  expect((await reflex.run(file)).status).toBe('completed')
  const request = asked[0]
  const settings = [request?.maxTokens, request?.effort, request?.temperature, request?.topP, request?.tryTimeout]
  expect(settings).toEqual(sent)
})
