import { expect, test } from 'vitest'
import { dataflow } from '../../../../src/kinds/dataflow/index.ts'
import { lifeIn, newFolder } from '../../../app/folders.ts'

const larger = dataflow({
  id: 'larger',
  version: '0.1.0',
  about: 'Says if a number is larger than three.',
  nodes: {
    given: { impl: 'context_number_source@^0.1', params: { key: 'given' } },
    limit: { impl: 'number_source@^0.1', params: { value: 3 } },
    hot: { impl: 'gt@^0.1' },
  },
  edges: [
    ['given.value', 'hot.a'],
    ['limit.value', 'hot.b'],
  ],
  outputs: { hot: 'hot.result' },
})

test('a graph in TypeScript is called with its inputs and returns its outputs', async () => {
  const reflex = lifeIn(newFolder())
  expect((await reflex.run(larger, { input: { given: 5 } })).value).toEqual({ hot: true })
  expect((await reflex.run(larger, { input: { given: 2 } })).value).toEqual({ hot: false })
})

test('an input that no source reads is refused with what was meant', async () => {
  await expect(lifeIn(newFolder()).run(larger, { input: { givn: 5 } })).rejects.toMatchObject({
    code: 'R2045',
    message: 'larger has no input "givn"; did you mean "given"?',
  })
})
