import { describe, expect, it } from 'vitest'
import { rulesAgent } from '../../src/agents/index.ts'
import type { Decision } from '../../src/kinds/workflow/types/index.ts'
import { at, containing, refusal, type Setting, written } from './workshop.ts'

const decide = (spec: Record<string, unknown>, setting?: Setting): Promise<Decision> => rulesAgent.resolve(at(spec, setting))
const refused = (spec: Record<string, unknown>, setting?: Setting) => refusal(() => decide(spec, setting))
const bump = { type: 'equals', key: 'bump', value: 'major' }

describe('a node without rules', () => {
  it('takes the only open edge, and ends if no edge leaves it', async () => {
    expect(await decide({}, { edges: ['NEXT>b'] })).toEqual({ type: 'advance', edge: 'e1', by: 'rules' })
    expect(await decide({}, { edges: ['A>a', ['B>b', { type: 'exists', key: 'no' }]] })).toMatchObject({ edge: 'e1' })
    expect(await decide({})).toEqual({ type: 'complete', by: 'rules' })
    expect(await decide({ go: 'b' }, { edges: ['A>a', 'B>b'] })).toMatchObject({ edge: 'e2' })
  })

  it('reports that a rule is missing if several edges are open, and the reasons if none is', async () => {
    expect(await refused({}, { edges: ['A>a', 'B>b'] })).toMatchObject({
      code: 'R2106',
      message: 'n has 2 open edges and no rule that chooses one: A, B',
    })
    expect(await refused({}, { edges: [['A>a', { type: 'equals', key: 'k', value: 1 }]], board: { k: 2 } })).toMatchObject({
      code: 'R2102',
      message: 'no edge of n is open: A (k equals 2, needs 1)',
    })
  })

  it('ignores the spec of another agent', async () => {
    expect(await decide({ match: ['x'], create: [], outputKey: 'k' }, { edges: ['NEXT>b'] })).toMatchObject({ edge: 'e1' })
    expect(await refused({ rulez: [] }, { edges: ['NEXT>b'] })).toMatchObject({ code: 'R2100' })
  })
})

describe('rules', () => {
  const edges = ['MAJOR>major', 'MINOR>minor', 'PATCH>patch']

  it('use the first rule whose conditions all hold, and report the observed values', async () => {
    const rules = [
      { when: [bump, { type: 'exists', key: 'missing' }], go: 'PATCH' },
      { when: bump, go: 'MAJOR', writes: { version: { from: 'next.major' }, kind: 'breaking' } },
      { go: 'MINOR' },
    ]
    const decision = await decide({ rules }, { edges, board: { bump: 'major', next: { major: '2.0.0' } } })
    expect(decision).toMatchObject({ type: 'advance', edge: 'e1', by: 'rules', because: 'bump = "major"' })
    expect(written(decision)).toEqual({ version: '2.0.0', kind: 'breaking' })
    expect(await decide({ rules }, { edges, board: {} })).toMatchObject({ edge: 'e2', because: 'no other rule applies' })
  })

  it.each([
    ['e1', 'by id'],
    ['MAJOR', 'by event'],
    ['major', 'by target'],
    ['Major', 'by event, in any case'],
  ])('name an edge %s %s', async (go) => {
    expect(await decide({ rules: [{ go }] }, { edges })).toMatchObject({ edge: 'e1' })
  })

  it.each<[condition: Record<string, unknown>, holds: boolean]>([
    [{ type: 'exists', key: 'n' }, true],
    [{ type: 'exists', key: 'null' }, true],
    [{ type: 'exists', key: 'list.2' }, false],
    [{ type: 'not-exists', key: 'nope' }, true],
    [{ type: 'equals', key: 'n', value: 5 }, true],
    [{ type: 'equals', key: 'n', value: '5' }, false],
    [{ type: 'equals', key: 'list', value: [1, 2] }, true],
    [{ type: 'equals', key: 'nope', value: null }, false],
    [{ type: 'not-equals', key: 'n', value: 6 }, true],
    [{ type: 'not-equals', key: 'nope', value: 6 }, true],
    [{ type: 'above', key: 'n', value: 4 }, true],
    [{ type: 'above', key: 'n', value: 5 }, false],
    [{ type: 'below', key: 'n', value: 6 }, true],
    [{ type: 'below', key: 'text', value: 6 }, false],
    [{ type: 'above', key: 'list.length', value: 1 }, true],
    [{ type: 'equals', key: 'a.b', value: 'whole key' }, true],
    [{ type: 'equals', key: 'a.b.c', value: 1 }, false],
    [{ type: 'equals', key: 'deep.x.0.y', value: 1 }, true],
    [{ type: 'exists', key: 'deep.constructor' }, false],
    [{ type: 'exists', key: 'text.length' }, false],
  ])('judge %j as %s', async (condition, holds) => {
    const board = { n: 5, null: null, list: [1, 2], text: '1', 'a.b': 'whole key', a: { b: { c: 1 } }, deep: { x: [{ y: 1 }] } }
    const decision = await decide({ rules: [{ when: condition, go: 'MAJOR' }, { go: 'MINOR' }] }, { edges, board })
    expect(decision).toMatchObject({ edge: holds ? 'e1' : 'e2' })
  })

  it('refuse an edge that is unknown, closed, or ambiguous', async () => {
    const shut = [['MAJOR>major', bump], 'MINOR>minor', 'MINOR>other'] as const
    expect(await refused({ rules: [{ go: 'MAJR' }] }, { edges })).toMatchObject({
      code: 'R2103',
      message: 'no edge "MAJR" leaves n; did you mean "MAJOR"?',
      fix: 'write MAJOR',
    })
    expect(await refused({ rules: [{ go: 'zzz' }] }, { edges })).toMatchObject({ code: 'R2103', fix: 'write one of MAJOR, MINOR, PATCH' })
    expect(
      await refused({ rules: [{ go: 'MAJOR' }] }, { edges: shut as unknown as Setting['edges'] & object, board: { bump: 'minor' } }),
    ).toMatchObject({
      code: 'R2104',
      message: '"e1" of n is closed, bump equals "minor", needs "major"; open: e2, e3',
    })
    expect(await refused({ rules: [{ go: 'MINOR' }] }, { edges: shut as unknown as Setting['edges'] & object })).toMatchObject({
      code: 'R2105',
      message: containing('"e2", "e3"'),
    })
  })

  it('report why none applies, unless the spec names a default edge', async () => {
    const rules = [{ when: bump, go: 'MAJOR' }]
    expect(await refused({ rules }, { edges, board: { bump: 'patch' } })).toMatchObject({
      code: 'R2106',
      message: 'no rule of n applies; rule 1: bump = "patch"',
    })
    expect(await decide({ rules, go: 'PATCH' }, { edges, board: { bump: 'patch' } })).toMatchObject({ edge: 'e3' })
  })

  it('may have their own reasons', async () => {
    const rules = [{ because: 'breaking = {{n}}', go: 'MAJOR' }]
    expect(await decide({ rules }, { edges, board: { n: 1 } })).toMatchObject({ because: 'breaking = 1' })
  })
})

describe('values in a spec', () => {
  it('are literals, references and templates, at any depth', async () => {
    const writes = {
      a: { from: 'x.y' },
      b: 'x is {{x.y}}',
      c: { from: 'nope', else: 'none' },
      d: { literal: { from: 'x' } },
      e: [{ f: { from: 'x.list.1' } }, null, 3],
      g: { from: 'null' },
    }
    expect(written(await decide({ writes }, { board: { x: { y: 1, list: [1, 'two'] }, null: null } }))).toEqual({
      a: 1,
      b: 'x is 1',
      c: 'none',
      d: { from: 'x' },
      e: [{ f: 'two' }, null, 3],
      g: null,
    })
  })

  it('never replace a missing value', async () => {
    expect(await refused({ writes: { a: { from: 'commit.hash' } } }, { board: { commits: [] } })).toMatchObject({
      code: 'R2110',
      message: 'writes.a reads "commit.hash", but the board has no value there: did you mean "commits"?',
    })
    expect(await refused({ writes: { a: '{{commits.0.hash}}' } }, { board: { commits: [] } })).toMatchObject({
      code: 'R2110',
      message: containing('"commits" has no such part'),
    })
  })
})

describe('a template', () => {
  const fill = async (lines: string | string[], board: Record<string, unknown>): Promise<unknown> =>
    written(await decide({ template: { out: lines } }, { board }))['out']

  it('repeats sections, and drops lines that only begin or end them', async () => {
    const lines = [
      '# {{version}}',
      '{{#groups.feat}}',
      '- {{subject}} ({{version}})',
      '{{/groups.feat}}',
      '{{^groups.fix}}',
      'no fixes',
      '{{/groups.fix}}',
      'end',
    ]
    const board = { version: '2.0.0', groups: { feat: [{ subject: 'one' }, { subject: 'two', version: 'own' }], fix: [] } }
    expect(await fill(lines, board)).toBe('# 2.0.0\n- one (2.0.0)\n- two (own)\nno fixes\nend')
  })

  it('shows values as text', async () => {
    expect(await fill('{{a}}|{{b}}|{{c}}|{{d}}|{{e}}|{{ f }}', { a: 1.5, b: false, c: null, d: [1, 'x'], e: { k: [1] }, f: 'ünï' })).toBe(
      '1.5|false||1, x|{"k":[1]}|ünï',
    )
    expect(await fill('{{#list}}<{{.}}>{{/list}}', { list: ['a', 'b'] })).toBe('<a><b>')
    expect(await fill('{{#tag}}since {{tag}}{{/tag}}{{^tag}}all{{/tag}}', { tag: null })).toBe('all')
    expect(await fill('{{#nope}}x{{/nope}}{{^nope}}y{{/nope}}', {})).toBe('y')
    expect(await fill('{{#o}}{{x}}{{/o}}{{#zero}}x{{/zero}}{{^zero}}none{{/zero}}', { o: { x: 0 }, zero: 0 })).toBe('0none')
  })

  it('never reads filled-in text as a template or as code', async () => {
    expect(await fill('{{a}} {{b}}', { a: '{{b}}', b: '$& {{#x}}' })).toBe('{{b}} $& {{#x}}')
    expect(await refused({ template: { out: '{{a.constructor}}' } }, { board: { a: {} } })).toMatchObject({ code: 'R2110' })
  })

  it('is bounded', async () => {
    const list = Array.from({ length: 1100 }, () => 'x'.repeat(1000))
    expect(await refused({ template: { out: '{{#list}}{{.}}{{/list}}' } }, { board: { list } })).toMatchObject({ code: 'R2113' })
  })

  it.each(['{{#a}}', '{{/a}}', '{{#a}}{{#b}}{{/a}}{{/b}}', '{{}}', '{{# }}'])('%s is refused', async (text) => {
    expect(await refused({ template: { out: text } }, { board: {} })).toMatchObject({ code: 'R2100', path: 'n.spec.template.out' })
  })
})

describe('classify', () => {
  const commits = [
    { hash: '1', subject: 'feat: load()', body: '' },
    { hash: '2', subject: 'fix(cli): colours', body: '' },
    { hash: '3', subject: 'feat!: no parse()', body: '' },
    { hash: '4', subject: 'chore: tidy', body: 'text\nBREAKING CHANGE: parse() is gone, use load()' },
    { hash: '5', subject: 'docs', body: '' },
  ]
  const rules = [
    { match: '^\\w+(\\(.*\\))?!:|^BREAKING[ -]CHANGE: ', flags: 'm', class: 'breaking' },
    { match: '^feat(\\(.*\\))?:', class: 'feature' },
    { match: '^fix(\\(.*\\))?:', class: 'fix' },
    { match: '^perf:', class: 'fix' },
    { match: '^never:', class: 'never' },
  ]

  it('sorts items by the first matching pattern, counts them, and summarizes the counts', async () => {
    const spec = { classify: { from: 'commits', by: ['subject', 'body'], into: 'classes', rules, keep: ['hash'] } }
    const decision = await decide(spec, { board: { commits }, edges: ['NEXT>b'] })
    expect(written(decision)).toEqual({
      classes: {
        counts: { breaking: 2, feature: 1, fix: 1, never: 0, other: 1 },
        groups: {
          breaking: [{ hash: '3' }, { hash: '4' }],
          feature: [{ hash: '1' }],
          fix: [{ hash: '2' }],
          never: [],
          other: [{ hash: '5' }],
        },
        top: 'breaking',
        total: 5,
      },
    })
    expect(decision).toMatchObject({ because: '2 breaking, 1 feature, 1 fix, 1 other' })
  })

  it('accepts texts and an empty list', async () => {
    const spec = { classify: { from: 'list', into: 'c', rules: [{ match: 'A', flags: 'i', class: 'a' }], otherwise: 'rest' } }
    expect(written(await decide(spec, { board: { list: ['xa', 'b'] } }))).toEqual({
      c: { counts: { a: 1, rest: 1 }, groups: { a: ['xa'], rest: ['b'] }, top: 'a', total: 2 },
    })
    const empty = await decide(spec, { board: { list: [] } })
    expect(written(empty)).toMatchObject({ c: { top: null, total: 0 } })
    expect(empty).toMatchObject({ because: 'nothing in list' })
  })

  it('can be followed by rules in the same node', async () => {
    const spec = {
      classify: { from: 'commits', by: 'subject', into: 'classes', rules },
      rules: [{ when: { type: 'above', key: 'classes.counts.breaking', value: 0 }, go: 'B' }, { go: 'C' }],
    }
    expect(await decide(spec, { board: { commits }, edges: ['B>b', 'C>c'] })).toMatchObject({
      edge: 'e1',
      because: 'classes.counts.breaking = 1, above 0',
    })
  })

  it('refuses a value that is not a list, items without text, and too many items', async () => {
    const spec = { classify: { from: 'x', into: 'c', rules: [{ match: 'a', class: 'a' }] } }
    expect(await refused(spec, { board: { x: 'text' } })).toMatchObject({ code: 'R2111' })
    expect(await refused(spec, { board: { x: [{}] } })).toMatchObject({ code: 'R2111', message: containing('"by"') })
    expect(await refused(spec, { board: { x: Array.from({ length: 20_001 }, () => 'a') } })).toMatchObject({ code: 'R2113' })
    expect(await refused(spec, { board: {} })).toMatchObject({ code: 'R2110' })
  })

  it('matches in linear time where other engines need exponential time', async () => {
    const spec = { classify: { from: 'x', into: 'c', rules: [{ match: '^(a+)+$', class: 'a' }] } }
    const texts = [`${'a'.repeat(9_000)}!`, 'a'.repeat(9_000)]
    expect(written(await decide(spec, { board: { x: texts } }))).toMatchObject({ c: { counts: { a: 1, other: 1 } } })
  })

  it('refuses lookarounds and back references before a run', async () => {
    const spec = { extract: { from: 'x', into: 'c', match: 'a(?!b)' } }
    expect(await refused(spec, { board: { x: 'a' } })).toMatchObject({
      code: 'R2100',
      path: 'n.spec.extract.match',
      message: containing('a negative lookahead, (?! at character 2'),
    })
  })

  it('counts its steps and stops at the limit', async () => {
    const match = Array.from({ length: 12 }, (_, i) => `(?:[${'abcdefghijkl'.slice(i)}]{1,9}x){1,9}`).join('|')
    const spec = { classify: { from: 'x', into: 'c', rules: Array.from({ length: 20 }, () => ({ match, class: 'a' })) } }
    const x = Array.from({ length: 1_000 }, () => 'a'.repeat(200))
    expect(await refused(spec, { board: { x } })).toMatchObject({ code: 'R2112', path: 'classify.rules' })
  })
})

describe('extract and pick', () => {
  const diff =
    '-export function parse(text) {\n-export const old = 1\n+export function load() {\n-export function load(a) {\n-export function parse(a) {\n'

  it('collect each match of a pattern once, without those in another list', async () => {
    const extract = [
      { from: 'shown.diff', match: '^\\+export (?:function|const) (\\w+)', into: 'added' },
      { from: 'shown.diff', match: '^-export (?:function|const) (\\w+)', into: 'removed', without: 'added' },
      { from: 'shown.diff', match: '^-export const \\w+', into: 'constant', first: true },
      { from: 'shown.diff', match: 'nothing', into: 'none', first: true },
    ]
    const decision = await decide({ extract }, { board: { shown: { diff } } })
    expect(written(decision)).toEqual({ added: ['load'], removed: ['parse', 'old'], constant: '-export const old', none: null })
    expect(decision).toMatchObject({ because: '1 added; 2 removed; constant “-export const old”; none not found' })
  })

  it('read the text of list items', async () => {
    const extract = { from: 'commits', by: 'body', match: '^BREAKING[ -]CHANGE: (.+)$', into: 'notes' }
    expect(
      written(await decide({ extract }, { board: { commits: [{ body: 'x\nBREAKING CHANGE: a' }, {}, { body: 'BREAKING-CHANGE: b' }] } })),
    ).toEqual({ notes: ['a', 'b'] })
  })

  it('pick the first value that is present', async () => {
    const pick = { note: [{ from: 'nope' }, { from: 'empty' }, { from: 'none' }, 'removed: {{removed}}'], zero: [{ from: 'zero' }, 1] }
    const decision = await decide({ pick }, { board: { empty: '', none: [], removed: ['a', 'b'], zero: 0 } })
    expect(written(decision)).toEqual({ note: 'removed: a, b', zero: 0 })
    expect(await refused({ pick: { note: [{ from: 'a' }, { from: 'b' }] } }, { board: {} })).toMatchObject({ code: 'R2110' })
    expect(written(await decide({ pick: { note: [{ from: 'a' }, null] } }))).toEqual({ note: null })
  })

  it('run in this order: classify, extract, pick, template', async () => {
    const spec = {
      template: { text: '{{name}} of {{c.total}}' },
      pick: { name: [{ from: 'found' }, 'nobody'] },
      extract: { from: 'c.groups.a', match: '\\d', into: 'found', first: true },
      classify: { from: 'list', into: 'c', rules: [{ match: 'a', class: 'a' }] },
    }
    expect(written(await decide(spec, { board: { list: ['a7', 'b'] } }))).toMatchObject({ text: '7 of 2' })
  })
})

describe('a spec with a mistake', () => {
  it.each([
    [{ rulez: [] }, 'n.spec.rulez', 'no attribute "rulez"', 'write "rules"'],
    [{ rules: [{ wen: bump }] }, 'n.spec.rules[0].wen', 'no attribute "wen" in rules[0]', 'write "when"'],
    [{ rules: [{ when: { type: 'equal', key: 'a', value: 1 } }] }, 'n.spec.rules[0].when.type', 'cannot be "equal"', 'write "equals"'],
    [
      { classify: { from: 'a', into: 'b', rules: [{ match: '(', class: 'x' }] } },
      'n.spec.classify.rules[0].match',
      'missing closing )',
      undefined,
    ],
    [
      { classify: { from: 'a', into: 'b', rules: [{ match: 'x', flags: 'g', class: 'x' }] } },
      'n.spec.classify.rules[0].flags',
      'flags must be',
      undefined,
    ],
  ])('%j is refused', async (spec, path, message, fix) => {
    const fault = await refused(spec, { edges: ['A>a'] })
    expect(fault).toMatchObject({ code: 'R2100', path, message: containing(message), ...(fix === undefined ? {} : { fix }) })
    expect(fault.cause).toMatchObject({ code: containing('R101') })
  })
})

describe('the keys that were read', () => {
  const edges = ['YES>a', 'NO>b']
  const board = { order: { total: 84 }, note: 'late', 'a.b': 1, unused: true }

  it('are those of conditions, templates and references, each once', async () => {
    const spec = {
      rules: [
        { when: [{ type: 'above', key: 'order.total', value: 100 }], go: 'YES' },
        { when: { type: 'below', key: 'order.total', value: 100 }, go: 'NO', because: 'it was {{note}}', writes: { n: { from: 'a.b' } } },
      ],
    }
    expect(await decide(spec, { edges, board })).toMatchObject({ edge: 'e2', saw: { keys: ['order', 'note', 'a.b'] } })
  })

  it('are none if the board was not read: a key is missing or was just written', async () => {
    const spec = {
      writes: { mine: 1 },
      rules: [
        { when: { type: 'exists', key: 'none' }, go: 'YES' },
        { go: 'NO', because: '{{mine}}' },
      ],
    }
    expect(await decide(spec, { edges, board })).not.toHaveProperty('saw')
    expect(await decide({}, { edges: ['NEXT>a'], board })).not.toHaveProperty('saw')
  })
})

it('need no read of the edges of the workflow if one edge is open', async () => {
  const context = at({}, { edges: ['NEXT>end'] })
  let looks = 0
  const edges = new Proxy(context.workflow.edges, {
    get(list, key, receiver) {
      looks++
      return Reflect.get(list, key, receiver) as unknown
    },
  })
  const decision = await rulesAgent.resolve({ ...context, workflow: { ...context.workflow, edges } })
  expect([decision.type, looks]).toEqual(['advance', 0])
})
