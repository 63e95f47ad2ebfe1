import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/journal/json.ts'
import {
  mentionsOutcome,
  printCondition,
  statusesTested,
  testsOutcomeOnly,
  type Condition,
} from '../../../../src/kinds/pipeline/language/condition.ts'
import { casesOf, outcomesAllowing } from '../../../../src/kinds/pipeline/language/condition-cases.ts'
import { evaluateCondition, explainCondition, incomparableClauses } from '../../../../src/kinds/pipeline/language/condition-evaluate.ts'
import { parseCondition } from '../../../../src/kinds/pipeline/language/condition-parse.ts'
import { problemFault } from '../../../../src/kinds/pipeline/language/faults.ts'
import { Source } from '../../../../src/text/source.ts'

function read(text: string): Condition {
  const { condition } = parseCondition(text)
  if (condition === undefined) throw new Error(`${text} is no condition`)
  return condition
}

function scope(context: Readonly<Record<string, Json>> = {}, outcome = 'success', preferredLabel?: string) {
  return { outcome, preferredLabel, get: (key: string) => (Object.hasOwn(context, key) ? context[key] : undefined) }
}

/** Whether some case makes all of the conditions true, and whether every case makes one of them true. */
function tried(...texts: string[]): { readonly together: boolean; readonly covered: boolean } | undefined {
  const conditions = texts.map(read)
  const cases = casesOf(conditions)
  if (cases === undefined) return undefined
  return {
    together: cases.some((one) => conditions.every((condition) => evaluateCondition(condition, one))),
    covered: cases.every((one) => conditions.some((condition) => evaluateCondition(condition, one))),
  }
}

const CONTEXT = {
  tries: 2,
  ratio: 2.5,
  whole: 2.0,
  name: 'Ann',
  id: '',
  nothing: null,
  yes: true,
  no: false,
  list: [1, { a: 'b' }],
  'exec.read': { content: { items: ['first', 'second'] } },
  'context.odd': 'kept',
  odd: 'other',
  'text-key': 'x',
  number_text: ' 42 ',
  wild: 'a && b',
}

describe('what a condition comes to (reference pipeline 8.4)', () => {
  // proves: pipeline 2.6.25, pipeline 8.4a, pipeline 8.4b, pipeline 8.4c, pipeline 8.4d, pipeline 8.4e, pipeline 8.4f, pipeline 8.4h
  // proves: pipeline s13.2a, pipeline s13.3a, pipeline 12.59
  test.each<[string, boolean]>([
    ['outcome=success', true],
    ['outcome = success', true],
    ['outcome == success', true],
    ['outcome=SUCCESS', false],
    ['outcome!=fail', true],
    ['outcome=success && context.tries=2', true],
    ['outcome=success && context.tries=3', false],
    ['context.tries=2&&context.name=Ann', true],
    ['&& outcome=success && &&', true],
    ['tries=2', true],
    ['context.whole=2', true],
    ['context.whole=2.0', false],
    ['context.yes=true', true],
    ['context.no=false', true],
    ['context.list="[1,{\\"a\\":\\"b\\"}]"', true],
    ['context.id!=""', false],
    ['context.id=""', true],
    ['context.missing=""', true],
    ['context.missing!=x', true],
    ['context.nothing=""', true],
    ['context.odd=kept', true],
    ['odd=other', true],
    ['context.exec.read.content.items.1=second', true],
    ['context.exec.read.content.items.7=""', true],
    ['context.text-key=x', true],
    ['context.wild="a && b"', true],
    ['context.tries<3', true],
    ['context.tries<=2', true],
    ['context.tries>2', false],
    ['context.tries>=2', true],
    ['context.ratio>2.4', true],
    ['context.ratio>"2.4"', true],
    ['context.number_text>=42', true],
    ['context.name<Zoe', false],
    ['context.name>Aaa', false],
    ['context.missing<1', false],
    ['context.yes>0', false],
    ['context.tries>x', false],
    ['0=1', false],
    ['1=1', true],
    ['2>1', true],
    ['context.name', true],
    ['context.id', false],
    ['context.no', false],
    ['context.missing', false],
    ['preferred_label=""', true],
    ['outcome=success || outcome=fail', false],
  ])('%s is %s', (text, answer) => {
    expect(evaluateCondition(read(text), scope(CONTEXT))).toBe(answer)
  })

  test('the label and the outcome are those of the scope, not of the context', () => {
    const context = { outcome: 'fail', preferred_label: 'No' }
    expect(evaluateCondition(read('outcome=success && preferred_label=Yes'), scope(context, 'success', 'Yes'))).toBe(true)
    expect(evaluateCondition(read('context.outcome=fail && context.preferred_label=No'), scope(context))).toBe(true)
  })

  test('an existing key that is a number is read', () => {
    expect(evaluateCondition(read('0=1'), scope({ 0: 1 }))).toBe(true)
  })

  test.each(['', '   ', '&&', ' && && '])('%j is no condition at all', (text) => {
    expect(parseCondition(text)).toEqual({ problems: [] })
  })
})

describe('what cannot be read', () => {
  // proves: pipeline 8.4g
  test.each<[string, string, string]>([
    ['outcome=success or context.score>3', 'or', 'two edges'],
    ['outcome=success OR context.score>3', 'OR', 'two edges'],
    ['outcome=success || outcome=fail', '||', 'two edges'],
    ['outcome="success" || outcome=fail', '||', 'two edges'],
    ['outcome=success and tries=2', 'and', 'write &&'],
    ['outcome=success & tries=2', '&', 'write &&'],
    ['context.x contains "a=b"', 'contains', 'compute it in a transform node'],
    ['context.x matches ^a', 'matches', 'compute it in a transform node'],
    ['!context.x', '!', 'write !='],
    ['not context.x', 'not', 'write !='],
    ['(outcome=success)', '(', 'leave the brackets out'],
    ['context.x is 5', 'is', 'write ='],
    ['outcome success', 'success', 'write ='],
    ['context.x="open', '"', 'close it with "'],
    ['context.x=op"en', '"', 'close it with "'],
    ['=success', '=', 'write outcome or context.name before it'],
    ['outcome=', '=', 'write "" for an empty value'],
    ['outcome= && tries=2', '=', 'write "" for an empty value'],
    ['context.=2', '.', 'write it as context.name'],
    ['context..x=2', '.', 'write it as context.name'],
    ['"outcome"=success', '"', 'write the key without quotes'],
    ['$goal=x', '$goal', 'write context.name'],
    ['a===b', '===', 'put quotes around the text'],
    ['a=>3', '=>', 'put quotes around the text'],
    ["name='Ann'", "'Ann'", 'write "Ann"'],
    ['a="x" y', 'y', 'write &&'],
    ['constructor toString', 'toString', 'write ='],
  ])('%s: %s, %s', (text, marked, fix) => {
    const { condition, problems } = parseCondition(text)
    expect(condition).toMatchObject({ text, unreadable: true })
    const [problem] = problems.filter(({ rule }) => rule === 'condition_syntax')
    expect(text.slice(problem?.from, problem?.to)).toBe(marked)
    expect(problem?.fix).toBe(fix)
  })

  test('one problem a clause, and each clause is looked at', () => {
    const { problems } = parseCondition('a contains b || c && !d && e=1 && f=')
    expect(problems.map(({ from }) => from)).toEqual([2, 21, 35])
  })

  test.each(['preferred_label=Ship it or not', 'preferred_label=Fix & ship', 'a=b=c', 'a=x?y=1&z=2', 'a=gpt-4.1:free', 'a=(b)'])(
    '%s is a literal without quotes',
    (text) => {
      const { condition, problems } = parseCondition(text)
      expect(problems).toEqual([])
      expect(condition?.clauses[0]?.literal).toBe(text.slice(text.indexOf('=') + 1))
    },
  )

  // proves: pipeline 2.6.26, pipeline 11.3d
  test('ordering is worth knowing and does no harm', () => {
    const { condition, problems } = parseCondition('tries>=3')
    expect(problems).toMatchObject([{ rule: 'condition_operator', from: 5, to: 7 }])
    expect(condition?.unreadable).toBeUndefined()
  })

  test('a finding stands at its place in the file, as reflex validate prints it', () => {
    const text = 'digraph G {\n  build -> ship [condition="outcome=success or context.score>3"]\n}'
    const from = text.indexOf('"')
    const valueAt = { from, to: text.lastIndexOf('"') + 1 }
    const [problem] = parseCondition('outcome=success or context.score>3').problems
    if (problem === undefined) throw new Error('no problem')
    expect(problemFault(problem, new Source(text, 'release.dot'), valueAt, 'build -> ship').toString()).toBe(
      [
        'error R1108 (condition_syntax)  release.dot:2:45  conditions have only the operators = != &&',
        '2 │   build -> ship [condition="outcome=success or context.score>3"]',
        '  │                                             ^^ fix: two edges',
      ].join('\n'),
    )
  })

  test('escapes before the place shift it', () => {
    const raw = 'x [condition="a=\\"b\\" || c"]'
    const [problem] = parseCondition('a="b" || c').problems
    if (problem === undefined) throw new Error('no problem')
    const fault = problemFault(problem, new Source(raw, 'x.dot'), { from: 13, to: raw.length - 1 })
    expect([fault.column, fault.length]).toEqual([raw.indexOf('||') + 1, 2])
  })

  test('a long text takes time in proportion', () => {
    const parts = [
      'a="' + '\\"'.repeat(50_000),
      'a=' + ' or'.repeat(50_000),
      'a=b' + ' '.repeat(100_000),
      '&&'.repeat(50_000),
      '"'.repeat(100_000),
    ]
    for (const text of parts) expect(parseCondition(text).problems.length).toBeLessThan(3)
  })
})

describe('why, in words', () => {
  test.each<[string, string]>([
    ['total >= 100', 'total >= 100 is false (84 @6)'],
    ['total >= 100 && name = Bob && yes = true', 'total >= 100 is false (84 @6), name = Bob is false ("Ann" @6)'],
    ['total=84', 'total = 84 is true (84 @6)'],
    ['outcome=fail', 'outcome = fail is false ("success")'],
    ['missing = 3', 'missing = 3 is false (not there)'],
    ['name > 3', 'name > 3 is false ("Ann" @6, no number)'],
    ['name ~ 3', 'name ~ 3 cannot be read'],
  ])('%s: %s', (text, words) => {
    const from = (key: string) => (key === 'outcome' ? undefined : '@6')
    expect(explainCondition(read(text), scope({ total: 84, name: 'Ann', yes: true }), from)).toBe(words)
  })

  test('clauses that order what is no number are told', () => {
    const clauses = incomparableClauses(read('name > 3 && total > 3 && name != x'), scope({ total: 84, name: 'Ann' }))
    expect(clauses.map(({ key }) => key)).toEqual(['name'])
  })
})

describe('what can be known before a run', () => {
  test('statuses, and what is asked about', () => {
    const condition = read('outcome != fail && context.x = 1 && 0 = 1')
    expect(statusesTested(condition)).toMatchObject([{ status: 'fail', operator: '!=', from: 11, to: 15 }])
    expect([mentionsOutcome(condition), testsOutcomeOnly(condition)]).toEqual([true, false])
    expect([mentionsOutcome(read('context.outcome=x')), testsOutcomeOnly(read('outcome=fail'))]).toEqual([false, true])
    expect(mentionsOutcome(read('preferred_label=x'))).toBe(true)
  })

  test.each<[string, boolean]>([
    ['0=1', false],
    ['a=1 && a=2', false],
    ['a>3 && a<2', false],
    ['a>2 && a<3', true],
    ['a=1 && a!=2', true],
    ['outcome=done', false],
    ['outcome=success && outcome!=fail', true],
    ['a ~ b', false],
  ])('%s can hold: %s', (text, answer) => {
    expect(tried(text)?.together).toBe(answer)
  })

  test.each<[string[], boolean]>([
    [['outcome=success', 'outcome!=success'], true],
    [['outcome=success', 'outcome=fail'], false],
    [['context.a=1', 'context.a!=1'], true],
    [['context.a=1 && outcome=fail', 'context.a!=1', 'outcome!=fail'], true],
    [['a<3', 'a>=3'], false],
    [['a=1', 'b!=1'], false],
  ])('%j cover everything: %s', (texts, answer) => {
    expect(tried(...texts)?.covered).toBe(answer)
  })

  test('outcomes that a condition lets through, and conditions that hold together', () => {
    expect(outcomesAllowing(read('outcome!=success && a=1'))).toEqual(['partial_success', 'fail', 'skipped'])
    expect(tried('a=1', 'b=1')?.together).toBe(true)
    expect(tried('a>=1', 'a<1')?.together).toBe(false)
  })

  test('a condition with very many keys is not tried', () => {
    const text = Array.from({ length: 5000 }, (_, index) => `k${index}=1`).join(' && ')
    expect([casesOf([read(text)]), outcomesAllowing(read(text)).length]).toEqual([undefined, 4])
  })
})

const KEYS = fc.stringMatching(/^[a-zA-Z0-9_-]{1,8}(\.[a-zA-Z0-9_-]{1,8}){0,2}$/)
const LITERALS = fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.stringMatching(/^[-\w. &|="\\<>!]{1,12}$/))
const OPERATORS = fc.constantFrom('=' as const, '!=' as const, '<' as const, '<=' as const, '>' as const, '>=' as const)
const AT = { from: 0, to: 0 }
const CLAUSES = fc.oneof(
  fc.record({ key: KEYS, operator: OPERATORS, literal: LITERALS }),
  KEYS.map((key) => ({ key, literal: '', operator: undefined })),
)
const CONDITIONS = fc
  .array(CLAUSES, { minLength: 1, maxLength: 4 })
  .map((clauses): Condition => ({ text: 'any', clauses: clauses.map((clause) => ({ ...clause, keyAt: AT, ...AT })) }))
const VALUES = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>

describe('whatever is written', () => {
  // proves: pipeline 8.4h
  test('reading never throws, and a problem lies within the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[ab="&|!<>. \\or]{0,30}$/)), (text) => {
        const { condition, problems } = parseCondition(text)
        for (const { from, to } of problems) expect(from >= 0 && to > from && to <= text.length).toBe(true)
        if (condition !== undefined) expect(typeof evaluateCondition(condition, scope())).toBe('boolean')
      }),
    )
  })

  test('a printed condition is read back', () => {
    fc.assert(
      fc.property(CONDITIONS, (condition) => {
        const again = parseCondition(printCondition(condition)).condition
        const plain = ({ clauses }: Condition) => clauses.map(({ key, operator, literal }) => ({ key, operator, literal }))
        expect(again === undefined ? undefined : plain(again)).toEqual(plain(condition))
      }),
    )
  })

  test('asking and explaining are total, and never change the data', () => {
    fc.assert(
      fc.property(CONDITIONS, fc.dictionary(KEYS, VALUES), fc.string(), (condition, context, outcome) => {
        const before = JSON.stringify([condition, context])
        const answer = evaluateCondition(condition, scope(context, outcome))
        expect(explainCondition(condition, scope(context, outcome))).toContain(`is ${answer}`)
        expect(JSON.stringify([condition, context])).toBe(before)
      }),
    )
  })
})
