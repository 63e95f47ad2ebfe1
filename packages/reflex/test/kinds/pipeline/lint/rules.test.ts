import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../../src/kernel/journal/fault.ts'
import {
  compileGraph,
  type LintOptions,
  type LintRule,
  parse,
  transformGraph,
  type TypedGraph,
  validate,
  validateOrRaise,
} from '../../../../src/kinds/pipeline/index.ts'
import { RULES } from '../../../../src/kinds/pipeline/check/rules.ts'

function typed(body: string): TypedGraph {
  return compileGraph(transformGraph(parse(`digraph g { start [shape=Mdiamond]; done [shape=Msquare]; ${body} }`)))
}

function found(body: string, rule: string, options: LintOptions = {}): Fault[] {
  return validate(typed(body), [], options).filter((finding) => finding.rule === rule)
}

describe('lint', () => {
  test('finds nothing in a pipeline that is right', () => {
    expect(validate(typed('work [type="transform"]; start -> work -> done')).filter(({ severity }) => severity !== 'info')).toEqual([])
  })

  test('names each rule once, and gives each its page', () => {
    expect(new Set(RULES.map(({ name }) => name)).size).toBe(RULES.length)
    expect(RULES.filter(({ code }) => code === undefined)).toEqual([])
  })

  test('says where a finding is in a graph that no text holds', () => {
    const [finding] = found('start -> done; done -> start', 'exit_no_outgoing')
    expect(finding).toMatchObject({ severity: 'error', code: 'R1124', path: 'done -> start' })
    expect(finding?.line).toBeUndefined()
  })

  // proves: pipeline 11.2a
  test('orders findings by rules, and within one by nodes', () => {
    const said = validate(typed('b [fidelity=x]; a [fidelity=y]; start -> b -> a -> done; lost'))
    expect(said.filter(({ rule }) => rule === 'fidelity_valid').map(({ path }) => path)).toEqual(['b', 'a'])
    expect(said.map(({ rule }) => rule).indexOf('orphan_node')).toBeLessThan(said.map(({ rule }) => rule).indexOf('fidelity_valid'))
  })

  test('tells twenty findings of a rule and counts the others', () => {
    const many = Array.from({ length: 50 }, (_, i) => `n${i} [fidelity=x]; start -> n${i}; n${i} -> done;`).join(' ')
    const said = found(many, 'fidelity_valid')
    expect(said).toHaveLength(20)
    expect(said.at(-1)?.message).toBe('"x" is not a fidelity; 30 more like it are not listed')
  })

  // proves: pipeline s10.1b, pipeline 11.2a
  test('takes rules of the host, after its own', () => {
    const audited: LintRule = {
      name: 'audited',
      *apply({ nodes }) {
        for (const { id, canonical } of nodes.values()) {
          if (canonical === 'exec') yield { node: id, message: `${id} is not audited`, severity: 'error', fix: 'add an audit node' }
        }
      },
    }
    const said = validate(typed('run [type="tool", tool_command="ls", timeout="1s"]; start -> run -> done'), [audited])
    expect(said.at(-1)).toMatchObject({ rule: 'audited', code: 'R1141', severity: 'error', path: 'run', fix: 'add an audit node' })
  })

  // proves: pipeline 11.2b
  test('refuses by one fault with everything in it', () => {
    expect(validateOrRaise(typed('start -> done')).filter(({ severity }) => severity !== 'info')).toEqual([])
    const wrong = typed('start -> done; done -> start; lost')
    expect(() => validateOrRaise(wrong)).toThrow(expect.objectContaining({ code: 'R1142', verdict: 'fail' }))
    try {
      validateOrRaise(wrong)
    } catch (thrown) {
      const rules = (thrown as Fault).data?.['findings'] as { rule: string }[]
      expect(rules.map(({ rule }) => rule)).toEqual(validate(wrong).map(({ rule }) => rule))
    }
  })
})

describe('what is known of the surroundings', () => {
  const ACTION =
    'act [type="exec", target="action", action="file.wirte", timeout="1s"]; start -> act; act -> done [condition="outcome=success"]'

  // proves: pipeline 11.3w
  test('actions, whose names do not tell . from _', () => {
    expect(found(ACTION, 'action_known')).toEqual([])
    expect(found(ACTION, 'action_known', { actions: ['file_read', 'file_write'] })).toMatchObject([{ fix: 'write "file_write"' }])
    expect(found(ACTION.replace('file.wirte', 'file.write'), 'action_known', { actions: ['file_write'] })).toEqual([])
  })

  // proves: pipeline 5.1b
  test('refuses middleware that nobody has, of a node and of the graph, where the middleware is known', () => {
    const body = 'graph [middleware="audit"] a [prompt=x, middleware="secret_scna,own"] start -> a -> done'
    expect(found(body, 'middleware_known')).toEqual([])
    expect(found(body, 'middleware_known', { middleware: ['secret_scan', 'own'] })).toMatchObject([
      { code: 'R1156', severity: 'error', message: 'the graph requests the middleware "audit"; there is no such middleware' },
      { code: 'R1156', path: 'a', fix: 'write "secret_scan"' },
    ])
    expect(found(body, 'middleware_known', { middleware: ['secret_scna', 'own', 'audit'] })).toEqual([])
  })

  test('files', () => {
    const child = 'child [type="graph.invoke", graph_file="child.dot", timeout="1s"]; start -> child -> done'
    expect(found(child, 'graph_file_exists')).toEqual([])
    expect(found(child, 'graph_file_exists', { exists: () => false })).toHaveLength(1)
    expect(found(child, 'graph_file_exists', { exists: () => true })).toEqual([])
  })

  // proves: pipeline 4.1b, pipeline 11.3y
  test('an author who is not trusted is refused what others are warned about', () => {
    const body = 'run [type="shell", command="ls", sandbox="none", timeout="1s"]; odd [type="strange"]; start -> run -> odd -> done'
    const severities = (options: LintOptions): unknown[] =>
      ['dangerous_skip', 'type_known'].map((rule) => found(body, rule, options).map(({ severity }) => severity))
    expect(severities({})).toEqual([['warning'], ['warning']])
    expect(severities({ author: 'untrusted' })).toEqual([['error'], ['error']])
  })

  test('what a pipeline needs is one finding', () => {
    const [needs, ...more] = found('run [type="tool", tool_command="ls", timeout="1s"]; start -> run -> done', 'capabilities_required')
    expect(needs).toMatchObject({ severity: 'info', code: 'R1140' })
    expect(more).toEqual([])
  })
})

describe('ways through a pipeline', () => {
  const way = (body: string, rule: string): string[] =>
    found(`a [type="transform"]; b [type="transform"]; c [type="transform"]; start -> a; b -> done; c -> done; ${body}`, rule).map(
      ({ path }) => path ?? '',
    )

  test.each([
    ['contradicts itself', 'a -> b [condition="context.x=1 && context.x=2"]; a -> c', ['a -> b']],
    ['orders numbers against each other', 'a -> b [condition="context.n>3 && context.n<=3"]; a -> c', ['a -> b']],
    ['fits between two numbers', 'a -> b [condition="context.n>3 && context.n<4"]; a -> c', []],
    ['asks for an outcome that there is not', 'a -> b [condition="outcome=done"]; a -> c', ['a -> b']],
    ['is lighter than one without a condition', 'a -> b [weight=1]; a -> c', ['a -> c']],
    ['is lighter and is taken after a failure', 'a -> b [weight=1]; a -> c [label=failed]', []],
    [
      'is contained in a heavier one',
      'a -> b [condition="context.x=1", weight=2]; a -> c [condition="context.x=1 && context.y=1"]; a -> c',
      ['a -> c'],
    ],
    ['contains a heavier one', 'a -> b [condition="context.x=1 && context.y=1", weight=2]; a -> c [condition="context.x=1"]; a -> c', []],
    ['is what is left over', 'a -> b [condition="context.x=1"]; a -> c', []],
    ['is left over by none', 'a -> b [condition="context.x=1"]; a -> c [condition="context.x!=1"]; a -> b', ['a -> b']],
    ['is closed on purpose', 'a -> b [condition="0=1"]; a -> c', []],
    ['cannot be read', 'a -> b [condition="x ~ y"]; a -> c', []],
  ])('an edge that %s', (_, edges, dead) => {
    expect(way(edges, 'dead_route')).toEqual(dead)
  })

  test.each([
    ['without conditions', 'a -> b; a -> c', 1],
    ['with another weight', 'a -> b [weight=1]; a -> c', 0],
    ['to the same node', 'a -> b; a -> b [label=again]', 0],
    ['that exclude each other', 'a -> c [condition="context.x=1"]; a -> b [condition="context.x!=1"]', 0],
    [
      'open together, where the file says otherwise than the alphabet',
      'a -> c [condition="context.x=1"]; a -> b [condition="context.y=1"]; a -> b',
      1,
    ],
    ['open together, where both say the same', 'a -> b [condition="context.x=1"]; a -> c [condition="context.y=1"]; a -> b', 0],
  ])('two edges %s', (_, edges, count) => {
    expect(way(edges, 'ambiguous_route')).toHaveLength(count)
  })

  test('branches of a parallel node go beside each other, whatever their conditions', () => {
    const split = 'p [shape=component]; start -> p; p -> b [condition="context.x=1"]; p -> c [condition="context.x!=1"]; p -> a; a -> done'
    expect(found(`a [type="transform"]; b [type="transform"]; c [type="transform"]; b -> done; c -> done; ${split}`, 'dead_route')).toEqual(
      [],
    )
  })

  test('nothing is said where there are too many cases', () => {
    const wide = Array.from({ length: 40 }, (_, i) => `context.k${i}=v`).join(' && ')
    expect(way(`a -> b [condition="${wide}"]; a -> c`, 'dead_route')).toEqual([])
  })
})

test('ten thousand nodes are checked', () => {
  const nodes = Array.from(
    { length: 10_000 },
    (_, i) =>
      `n${i} [type="transform"]; n${i} -> n${i + 1} [condition="outcome=success"]; n${i} -> n${Math.max(0, i - 5)} [condition="outcome=fail && context.tries<3"]; n${i} -> done;`,
  )
  const graph = typed(`start -> n0; n10000 [type="transform"]; n10000 -> done; ${nodes.join('\n')}`)
  expect(validate(graph).filter(({ severity }) => severity === 'error')).toEqual([])
})
