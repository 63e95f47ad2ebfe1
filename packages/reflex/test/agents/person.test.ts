import { describe, expect, it } from 'vitest'
import { personAgent } from '../../src/agents/index.ts'
import type { Decision } from '../../src/kinds/workflow/types/index.ts'
import { at, containing, refusal, type Setting, written } from './workshop.ts'

const decide = (spec: Record<string, unknown>, setting?: Setting): Promise<Decision> => personAgent.resolve(at(spec, setting))
const edges = ['YES>pay', 'NO>decline']

describe('a question', () => {
  it('offers the open edges, with the descriptions of their targets', async () => {
    expect(
      await decide(
        { ask: 'Refund {{total}} to {{who}}?', due: '3d', otherwise: 'no', show: ['total'] },
        { edges, board: { total: 84, who: 'ana' } },
      ),
    ).toEqual({
      type: 'suspend',
      reason: 'Refund 84 to ana?',
      ask: {
        text: 'Refund 84 to ana?',
        options: [
          { value: 'YES', detail: 'about pay', also: ['e1', 'pay'] },
          { value: 'NO', detail: 'about decline', also: ['e2', 'decline'] },
        ],
        due: 259_200_000,
        otherwise: 'NO',
        about: { total: 84 },
      },
      by: 'a person',
      saw: { keys: ['total', 'who'] },
    })
    expect(await decide({ ask: 'So?' }, { edges: ['OK>a', 'OK>b'] })).toMatchObject({
      ask: { options: [{ value: 'e1' }, { value: 'e2' }] },
    })
  })

  it('offers its own options, without those whose edge is closed', async () => {
    const options = [
      { event: 'YES', label: 'Yes', detail: 'write {{file}}' },
      { value: 'minor', event: 'YES', label: 'Minor', writes: { version: { from: 'next.minor' } } },
      { event: 'NO' },
      'LATER',
    ]
    const setting: Setting = {
      edges: ['YES>write', ['NO>stop', { type: 'exists', key: 'no' }], 'LATER>later'],
      board: { file: 'NOTES.md', next: { minor: '1.5.0' } },
    }
    expect(await decide({ ask: 'Release?', options }, setting)).toMatchObject({
      ask: { options: [{ value: 'YES', label: 'Yes', detail: 'write NOTES.md' }, { value: 'minor', label: 'Minor' }, { value: 'LATER' }] },
    })
    const minor = await decide({ ask: 'Release?', options, writes: 'answer' }, { ...setting, input: 'Minor' })
    expect(minor).toMatchObject({ type: 'advance', edge: 'e1', by: 'a person', because: 'Minor' })
    expect(written(minor)).toEqual({ answer: 'minor', version: '1.5.0' })
  })

  it('asks for text if there is one edge and a key to write', async () => {
    expect(await decide({ ask: 'Why?', writes: 'why' }, { edges: ['NEXT>b'] })).toEqual({
      type: 'suspend',
      reason: 'Why?',
      ask: { text: 'Why?' },
      by: 'a person',
    })
    const answered = await decide({ ask: 'Why?', writes: 'why' }, { edges: ['NEXT>b'], input: 'because' })
    expect(answered).toEqual({
      type: 'advance',
      edge: 'e1',
      writes: [{ key: 'why', value: 'because' }],
      by: 'a person',
      because: 'because',
    })
    expect(await decide({ ask: 'Go on?' }, { edges: ['NEXT>b'] })).toMatchObject({ ask: { options: [{ value: 'NEXT' }] } })
  })

  it('may have a schema, and ends a workflow at a node without edges', async () => {
    const spec = { ask: 'How many?', schema: { type: 'integer', minimum: 1 }, writes: 'n' }
    expect(await decide(spec)).toMatchObject({ ask: { schema: { type: 'integer' } } })
    expect(await decide(spec, { input: '3' })).toEqual({ type: 'complete', writes: [{ key: 'n', value: 3 }], by: 'a person', because: '3' })
    expect(await refusal(() => decide(spec, { input: '0' }))).toMatchObject({ code: 'R4201' })
  })

  it('requires a person in its traits', () => {
    expect(personAgent.traits?.(at({ ask: 'x' }))).toEqual({ leaves: false, repeat: 'free', needs: ['arbor://human/ask'] })
  })
})

describe('an answer', () => {
  it('takes the edge that it names', async () => {
    expect(await decide({ ask: 'Refund?', writes: 'said' }, { edges, input: 'no' })).toEqual({
      type: 'advance',
      edge: 'e2',
      writes: [{ key: 'said', value: 'NO' }],
      by: 'a person',
      because: 'NO',
    })
  })

  it('that matches no option is refused, with a suggestion', async () => {
    expect(await refusal(() => decide({ ask: 'Refund?' }, { edges, input: 'yse' }))).toMatchObject({
      code: 'R4200',
      message: containing('did you mean "YES"?'),
    })
  })

  it('must name an open edge', async () => {
    expect(await refusal(() => decide({ ask: 'Which?', options: ['red', 'blue'] }, { edges, input: 'red' }))).toMatchObject({
      code: 'R2114',
    })
    expect(
      await refusal(() => decide({ ask: 'Which?', options: [{ event: 'YES' }] }, { edges: [['YES>a', { type: 'exists', key: 'k' }]] })),
    ).toMatchObject({ code: 'R2102' })
    expect(await refusal(() => decide({ ask: 'Which?' }, { edges: [['YES>a', { type: 'exists', key: 'k' }]] }))).toMatchObject({
      code: 'R2102',
    })
    const kept = await decide({ ask: 'Which?', options: ['red', 'blue'], writes: 'colour' }, { edges: ['NEXT>b'], input: 'BLUE' })
    expect(kept).toMatchObject({ edge: 'e1', writes: [{ key: 'colour', value: 'blue' }] })
  })
})

describe('a spec with a mistake', () => {
  it.each([
    [{ ask: 'x', due: '3 weeks' }, 'n.spec.due'],
    [{ ask: 'x', due: '0s' }, 'n.spec.due'],
    [{ ask: 'x', otherwhise: 'YES' }, 'n.spec.otherwhise'],
    [{ ask: 'x', options: [{ lable: 'a' }] }, 'n.spec.options[0]'],
    [{ ask: 'x', options: [] }, 'n.spec.options'],
    [{ ask: '{{#x}}' }, 'n.spec.ask'],
  ])('%j is refused', async (spec, path) => {
    expect(await refusal(() => decide(spec, { edges }))).toMatchObject({ code: 'R2100', path })
  })

  it('is refused if its default answer is not an option', async () => {
    expect(await refusal(() => decide({ ask: 'x', otherwise: 'MAYBE' }, { edges }))).toMatchObject({ code: 'R4200' })
  })
})

describe('a person who replaces another agent', () => {
  it('is asked the prompt of the model', async () => {
    expect(await decide({ prompt: 'Refund in full?' }, { edges })).toMatchObject({
      ask: { text: 'Refund in full?', options: [{ value: 'YES' }, { value: 'NO' }] },
    })
    const told = await decide(
      { prompt: 'Write to {{who}}', writes: 'message' },
      { edges: ['NEXT>b'], board: { who: 'ana' }, input: 'Hello' },
    )
    expect(told).toMatchObject({ edge: 'e1', writes: [{ key: 'message', value: 'Hello' }] })
  })

  it('chooses instead of the rules, and the rule of the edge writes', async () => {
    const spec = {
      classify: { from: 'list', into: 'c', rules: [{ match: 'a', class: 'a' }] },
      rules: [
        { when: { type: 'exists', key: 'never' }, go: 'NO', writes: { said: 'no' } },
        { go: 'YES', writes: { said: 'yes' } },
      ],
    }
    const setting: Setting = { edges, board: { list: ['a'] }, description: 'What next?' }
    expect(await decide(spec, setting)).toMatchObject({ type: 'suspend', ask: { text: 'What next?' } })
    expect(written(await decide(spec, { ...setting, input: 'NO' }))).toMatchObject({ c: { total: 1 }, said: 'no' })
  })

  it('is not asked if there is one edge, nor about the spec of another agent', async () => {
    expect(await decide({}, { edges: ['NEXT>b'] })).toMatchObject({ type: 'advance', by: 'rules' })
    expect(await decide({ match: 'x' }, { edges })).toMatchObject({ ask: { text: 'Where does n go?' } })
  })
})
