import { describe, expect, it } from 'vitest'
import type { FaultData, Json } from '../../src/kernel/index.ts'
import {
  acceptAnswer,
  type Answers,
  autoAnswers,
  isInternalQuestion,
  noAnswers,
  type OpenQuestion,
  type Question,
  readQuestion,
  scriptedAnswers,
} from '../../src/people/index.ts'
import { suggest } from '../../src/text/index.ts'

function refused(work: () => unknown): FaultData {
  try {
    work()
  } catch (thrown) {
    return thrown as FaultData
  }
  throw new Error('nothing was refused')
}

const release: Question = {
  text: 'Release?',
  options: [{ value: 'YES', label: 'Yes, please' }, { value: 'MINOR', label: 'Minor' }, { value: 'later' }],
}

function open(name: string, question: Question = { text: name }, more: Partial<OpenQuestion> = {}): OpenQuestion {
  return { id: `otter/${name}`, name, question, ...more }
}

describe('an answer', () => {
  it.each([
    ['YES', 'YES'],
    ['yes', 'YES'],
    [' yes, PLEASE ', 'YES'],
    ['Minor', 'MINOR'],
    ['LATER', 'later'],
  ])('%j is the option %s', (given, value) => {
    expect(acceptAnswer(release, given)).toBe(value)
  })

  it('is not an option if it only resembles one', () => {
    expect(refused(() => acceptAnswer(release, 'mnior', suggest))).toMatchObject({
      code: 'R4200',
      message: '"mnior" is none of YES (Yes, please), MINOR, later; did you mean "MINOR"?',
      fix: 'answer MINOR',
      data: { options: ['YES', 'MINOR', 'later'] },
    })
    for (const given of ['', 'ye', 'no', true, null, 0, ['YES'], { value: 'YES' }])
      expect(refused(() => acceptAnswer(release, given))).toMatchObject({ code: 'R4200' })
  })

  it('distinguishes options that differ only in case', () => {
    const question: Question = { text: '', options: [{ value: 'a' }, { value: 'A' }, { value: 'b', label: 'a ' }] }
    expect(acceptAnswer(question, 'A')).toBe('A')
    expect(acceptAnswer(question, 'a')).toBe('a')
    expect(refused(() => acceptAnswer(question, ' a'))).toMatchObject({ code: 'R4200' })
  })

  it('can be anything for a question without options and schema', () => {
    expect(acceptAnswer({ text: 'Why?' }, 'because')).toBe('because')
    expect(acceptAnswer({ text: 'Why?' }, { a: [1] })).toEqual({ a: [1] })
    expect(refused(() => acceptAnswer({ text: 'Why?' }, undefined))).toMatchObject({ code: 'R2004' })
    expect(refused(() => acceptAnswer({ text: 'Why?' }, 'x'.repeat(100_001)))).toMatchObject({ code: 'R4201' })
  })

  it.each<[schema: Record<string, Json>, given: Json, value: Json | undefined]>([
    [{ type: 'number' }, ' 2.5', 2.5],
    [{ type: 'integer', minimum: 1 }, '3', 3],
    [{ type: 'integer' }, '2.5', undefined],
    [{ type: 'number' }, '0x10', undefined],
    [{ type: 'number' }, '', undefined],
    [{ type: 'boolean' }, 'Yes', true],
    [{ type: 'boolean' }, 'n', false],
    [{ type: 'boolean' }, 'maybe', undefined],
    [{ type: 'string', minLength: 2 }, '12', '12'],
    [{ type: 'string', minLength: 2 }, '1', undefined],
    [{ type: 'array', items: { type: 'string' } }, '["a"]', ['a']],
    [{ type: 'object', properties: { a: { type: 'number' } }, required: ['a'], additionalProperties: false }, { a: 1 }, { a: 1 }],
    [{ type: 'object', properties: { a: { type: 'number' } }, required: ['a'], additionalProperties: false }, '{"b": 1}', undefined],
  ])('fits %j: %j', (schema, given, value) => {
    const accept = (): Json => acceptAnswer({ text: '', schema }, given)
    if (value === undefined) expect(refused(accept)).toMatchObject({ code: 'R4201' })
    else expect(accept()).toEqual(value)
  })

  it('is refused with the path of each value that does not match, so that a form can show it there', () => {
    const schema = { type: 'object', properties: { tags: { type: 'array', items: { type: 'string' } } }, required: ['tags', 'sum'] }
    expect(refused(() => acceptAnswer({ text: '', schema }, { tags: ['a', 1] }))).toMatchObject({
      code: 'R4201',
      data: {
        problems: [
          { path: [], message: 'must have the key "sum"' },
          { path: ['tags', 1], message: 'must be a string' },
        ],
      },
    })
  })

  it('can be an option or match the schema if a question has both', () => {
    const question: Question = { text: '', options: [{ value: 'none' }], schema: { type: 'number' } }
    expect(acceptAnswer(question, 'None')).toBe('none')
    expect(acceptAnswer(question, '4')).toBe(4)
    expect(refused(() => acceptAnswer(question, 'x'))).toMatchObject({ code: 'R4201' })
  })

  it('cannot be checked by an invalid schema', () => {
    expect(refused(() => acceptAnswer({ text: '', schema: { type: 'nope' } }, 'x'))).toMatchObject({ code: 'R4202' })
  })
})

describe('a question in a journal', () => {
  it('is read as it was written', () => {
    const about = {
      text: 'Release?',
      options: [{ value: 'YES', label: 'Yes' }, 'no'],
      schema: { type: 'string' },
      due: 5,
      otherwise: 'no',
      about: { a: 1 },
    }
    expect(readQuestion(about, 'approve')).toEqual({ ...about, options: [{ value: 'YES', label: 'Yes' }, { value: 'no' }] })
    expect(readQuestion({ text: 'Did decide happen?', options: [{ value: 'happened' }], about: { effect: 3 } }, 'doubt')).toMatchObject({
      options: [{ value: 'happened' }],
    })
  })

  it('is the name of the wait if the wait has no question', () => {
    expect(readQuestion(undefined, 'approve')).toEqual({ text: 'approve' })
    expect(readQuestion({ what: 1 }, 'approve')).toEqual({ text: 'approve', about: { what: 1 } })
  })

  it('is refused when it is broken', () => {
    for (const about of [
      { text: 'x', options: 'yes' },
      { text: 'x', options: [{ label: 'a' }] },
      { text: 'x', due: '3d' },
      { text: 'x', schema: 'number' },
    ]) {
      expect(refused(() => readQuestion(about, 'approve'))).toMatchObject({ code: 'R4202' })
    }
  })
})

describe('the source of answers', () => {
  it('is nobody', () => {
    expect(noAnswers.answer(open('approve', release))).toBeUndefined()
  })

  it('is the default of the deadline, otherwise the first option, only for questions of programs', () => {
    expect(autoAnswers.answer(open('approve', release))).toBe('YES')
    expect(autoAnswers.answer(open('approve', { ...release, otherwise: 'later' }))).toBe('later')
    expect(autoAnswers.answer(open('why'))).toBeUndefined()
    expect(isInternalQuestion({ asker: 'outcome' })).toBe(true)
    const happened = { text: 'Did it?', options: [{ value: 'happened' }] }
    expect(autoAnswers.answer(open('doubt', happened, { asker: 'outcome' }))).toBeUndefined()
    expect(autoAnswers.answer(open('doubt', happened))).toBe('happened')
  })

  it('is a script, by address, path or name, in order', () => {
    const script: Answers & { unused(): readonly string[] } = scriptedAnswers(
      { $schema: 'x', approve: 'yes', 'verify/approve': ['minor', 'later'], 'otter/q9': 1, never: true, doubt: 'happened' },
      { file: 'a.answers.json' },
    )
    expect(script.by).toBe('a.answers.json')
    expect(script.answer(open('approve', release))).toBe('YES')
    expect(script.answer(open('approve', release))).toBe('YES')
    const inner = open('approve', release, { path: 'verify/approve' })
    expect([script.answer(inner), script.answer(inner), script.answer(inner)]).toEqual(['MINOR', 'later', undefined])
    expect(script.answer(open('x', { text: '' }, { id: 'otter/q9' }))).toBe(1)
    expect(script.answer(open('constructor'))).toBeUndefined()
    expect(script.answer(open('doubt', { text: '', options: [{ value: 'happened' }] }))).toBe('happened')
    expect(script.unused()).toEqual(['never'])
  })

  it('of a node does not apply to a question of Reflex at that node', () => {
    const script = scriptedAnswers({ approve: 'stop', 'engine:budget': 'raise' })
    const budget = { text: 'Raise it?', options: [{ value: 'raise' }, { value: 'stop' }] }
    expect(script.answer(open('engine:budget', budget, { asker: 'budget', path: 'approve' }))).toBe('raise')
    expect(script.answer(open('doubt', { text: 'Did it?' }, { asker: 'outcome', path: 'approve' }))).toBeUndefined()
    expect(script.unused()).toEqual(['approve'])
  })

  it('is a fault when a question refuses a scripted answer, and the answer is not used up', () => {
    const script = scriptedAnswers({ approve: ['yess', 'yes'] }, { guess: suggest })
    expect(refused(() => script.answer(open('approve', release)))).toMatchObject({ code: 'R4200' })
    expect(script.unused()).toEqual(['approve'])
    expect(refused(() => scriptedAnswers(['yes'], { file: 'a.json' }))).toMatchObject({ code: 'R4210', file: 'a.json' })
  })
})

describe('a large answer', () => {
  const open: Question = { text: 'Everything?' }

  it('is refused with the limit, after a bounded part of it has been read', () => {
    let reads = 0
    const keys = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`key${i}`, i]))
    const counting = new Proxy(keys, {
      get(target, key) {
        reads++
        return Reflect.get(target, key) as unknown
      },
    })
    const { code, message } = refused(() => acceptAnswer(open, counting))
    expect([code, message]).toEqual(['R4201', 'an answer has at most 100000 characters, counted as JSON, and this one has more'])
    expect(reads).toBeLessThan(100_000 / 8)
    expect(refused(() => acceptAnswer(open, [[['x'.repeat(100_001)]]])).code).toBe('R4201')
    expect(
      refused(() =>
        acceptAnswer(
          open,
          Array.from({ length: 100_001 }, () => 0),
        ),
      ).code,
    ).toBe('R4201')
  })

  it('within the limit is accepted unchanged', () => {
    const value = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`key${i}`, i]))
    expect(acceptAnswer(open, value)).toEqual(value)
  })

  it('that does not match its schema is refused with a short message', () => {
    const schema = { type: 'object', additionalProperties: false }
    const value = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`key${i}`, i]))
    const { message } = refused(() => acceptAnswer({ text: 'x', schema }, value))
    expect(message).toMatch(/; and 2990 more$/)
    expect(message.length).toBeLessThan(2000)
  })
})
