import { describe, expect, test } from 'vitest'
import { Reflex } from '../../../../src/app/reflex.ts'
import {
  attribute,
  type AttributesOf,
  authored,
  compileGraph,
  defineOperation,
  key,
  netUri,
  operationHelp,
  parse,
  pipelineSchema,
  run,
  sleep,
  success,
  validate,
  writes,
} from '../../../../src/kinds/pipeline/index.ts'

/** An operation as an application adds it: this is the only place that names it. */
const ping = defineOperation({
  name: 'ping',
  does: 'Sends a value to a host and waits for the echo.',
  dispatch: [{ type: 'exec', by: { target: 'ping' } }],
  parameters: {
    host: attribute('text', 'The address.', { required: true }),
    count: attribute('int', 'How often to send.', { usual: '1' }),
    speed: attribute(['fast', 'slow'], 'The pace.', { usual: 'slow' }),
    body_key: attribute('key', 'The value that is sent.', { usual: 'last_response', aliases: ['payload_key'] }),
  },
  reads: [authored('host', 'ssrf'), key('body_key', 'last_response')],
  writes: writes('outside', 'ping.<id>.'),
  needs: (node) => [netUri(node.text('host'))],
  repeat: 'side_effecting',
  repeats: (node) => (node.text('speed') === 'fast' ? 'read_only' : undefined),
  *run(node) {
    yield* sleep(10)
    return success({ [`ping.${node.node.id}.echo`]: `${String(node.attributes.get('host')?.value)} ${node.text('word')}` })
  },
})
const operations = [ping]

const ends = 'start [shape=Mdiamond]; done [shape=Msquare];'
const graphOf = (body: string) => parse(`digraph g { ${ends} ${body} }`)
const nodeOf = (attributes: string) => compileGraph(graphOf(`n [${attributes}]; start -> n -> done`), { operations }).nodes.get('n')
const found = (attributes: string) =>
  validate(`digraph g { ${ends} n [${attributes}]; start -> n -> done }`, [], { operations })
    .filter(({ code }) => ['R1106', 'R1107', 'R1129'].includes(code))
    .map(({ message, fix, severity }) => [message, fix, severity])

describe('an operation that a host adds', () => {
  test('is known by its type name and by the word that chooses it', () => {
    expect(nodeOf('type=ping, host="https://h.x"')).toMatchObject({ operation: 'ping', canonical: 'exec', rawType: 'ping' })
    expect(nodeOf('type=exec, target=ping, host="https://h.x"')).toMatchObject({ operation: 'ping', rawType: 'exec' })
    expect(compileGraph(graphOf('n [type=ping]')).nodes.get('n')).toMatchObject({ operation: 'codergen', unknown: 'ping' })
  })

  test('has its attributes checked', () => {
    expect(found('type=ping, host="https://h.x", count=3, speed=fast, payload_key=word')).toEqual([])
    expect(found('type=ping')).toEqual([['"n" is of type "ping" and needs host', 'write host', 'warning']])
    expect(found('type=ping, hosst="x", host=y')).toEqual([['nodes have no attribute "hosst"', 'write "host"', 'warning']])
    expect(found('type=ping, host=y, count=often')).toEqual([['count of "n" is "often", which is not a whole number', undefined, 'error']])
    expect(found('type=ping, host=y, speed=fats')[0]?.slice(1)).toEqual(['write "fast"', 'error'])
    expect(found('type=pign, host=y')[0]?.[1]).toBe('write "ping"')
    expect(found('type=exec, target=pign')[0]?.[1]).toBe('write "ping"')
    expect(found('type=shell, command=ls, speed=fast')).toEqual([
      ['"n" is of type "shell", which does not read "speed"', 'remove it, or write it at a node of type ping', 'warning'],
    ])
  })

  test('needs its capabilities, and may be repeated as it says', () => {
    expect(nodeOf('type=ping, host="https://h.x/y"')?.capabilitiesRequired).toEqual([
      'arbor://net/h.x',
      'arbor://orchestrator/execute/exec',
      'arbor://orchestrator/execute/ping',
    ])
    expect([nodeOf('type=ping')?.idempotency, nodeOf('type=ping, speed=fast')?.idempotency]).toEqual(['side_effecting', 'read_only'])
  })

  test('has its values followed to where they can do harm', () => {
    const body = 'n [type=ping, host="https://h.x"]; sh [type=shell, command="echo $X", env_keys="ping.n.echo"]; start -> n -> sh -> done'
    expect(compileGraph(graphOf(body), { operations }).taint).toMatchObject([
      { rule: 'missing_sanitization', node: 'sh', from: 'n', level: 'untrusted' },
    ])
  })

  test('has types, a schema and help', () => {
    const good: AttributesOf<typeof ping> = { host: 'https://h.x', count: 2, speed: 'fast', payload_key: 'word' }
    // @ts-expect-error: the host is required
    const missing: AttributesOf<typeof ping> = { count: 2 }
    // @ts-expect-error: a pace is fast or slow
    const wrong: AttributesOf<typeof ping> = { host: 'x', speed: 'fats' }
    expect([good, missing, wrong]).toHaveLength(3)
    expect(pipelineSchema({ operations })).toMatchObject({ definitions: { node: { properties: { speed: { enum: ['fast', 'slow'] } } } } })
    expect(operationHelp('ping', { operations })).toMatchObject({
      does: ping.does,
      types: ['ping'],
      attributes: [{ name: 'host', isRequired: true }, { name: 'count', takes: 'int', usual: '1' }, { takes: 'fast | slow' }, {}],
    })
    expect(operationHelp('ping')).toBeUndefined()
  })

  test('is executed by `run` and by `Reflex`', async () => {
    const dot = `digraph g { ${ends} n [type=exec, target=ping, host="https://h.x", simulate=false]; start -> n -> done }`
    const ended = await run(dot, {
      operations,
      initial_values: { word: 'hello' },
      logs_root: false,
      policy: [{ file: 'test', allow: ['arbor://net/h.x'], deny: [] }],
    })
    expect([ended.status, ended.context['ping.n.echo']]).toEqual(['success', 'https://h.x hello'])
    const refused = await run(dot, { operations, logs_root: false })
    expect(refused.failure_reason).toContain('arbor://net/h.x')
    const reflex = new Reflex({
      store: 'memory:',
      pipeline: { operations },
      policy: [{ file: 'test', allow: ['arbor://net/h.x'], deny: [] }],
    })
    const other = await reflex.run(parse(dot), { input: { word: 'there' } })
    await reflex.close()
    expect(other.status).toBe('completed')
    const twice = new Reflex({ store: 'memory:', pipeline: { operations: [ping, ping] } })
    await expect(twice.run(parse(dot))).rejects.toMatchObject({ code: 'R1165' })
    await twice.close()
  })
})

describe('a description that is wrong is refused, and the module is named', () => {
  const refusal = (more: object) => {
    try {
      compileGraph(graphOf(''), { operations: [{ ...ping, ...more }] })
      return undefined
    } catch (thrown) {
      const { code, message, fix } = thrown as { readonly code: string; readonly message: string; readonly fix: string }
      return [code, message, fix]
    }
  }

  test.each([
    [
      'an unknown parameter type',
      { parameters: { count: { ...ping.parameters.count, form: 'itn' } } },
      /a parameter "count" of the unknown type "itn"; did you mean "int"\?/,
    ],
    ['no parameter type', { parameters: { count: {} } }, /the parameter "count" without a type/],
    ['a taken name', { name: 'shell', types: [] }, /takes the name "shell", which "shell" has/],
    ['a taken type name', { types: ['wait.human'] }, /takes the type name "wait.human", which "wait.human" has/],
    ['a canonical type as its name', { types: ['exec'] }, /takes the type name "exec", which is a type of the language/],
    ['a taken word', { dispatch: [{ type: 'exec', by: { target: 'shell' } }] }, /takes "?shell"? of type exec/],
    ['an unknown type', { dispatch: [{ type: 'exce' }] }, /unknown dispatch type "exce"; did you mean "exec"\?/],
    ['another attribute that chooses', { dispatch: [{ type: 'exec', by: { purpose: 'x' } }] }, /is dispatched by purpose/],
    ['an attribute that nothing has', { reads: [key('bdy_key')] }, /unknown attribute "bdy_key"; did you mean "body_key"\?/],
    ['a name with spaces', { name: 'my ping' }, /has the name "my ping"/],
    ['an unknown repeat', { repeat: 'idempotnt' }, /unknown repeat "idempotnt"/],
    [
      'an attribute that is no description',
      { parameters: { count: { form: 'int' } } },
      /the parameter "count" that attribute\(\) has not made/,
    ],
    ['no name', { name: undefined }, /has the name/],
    ['no parameters', { parameters: undefined }, /has no parameters/],
    ['a dispatch that is not a list', { dispatch: { type: 'exec' } }, /has dispatch that is not a list/],
    ['no function', { run: undefined }, /has no function/],
  ])('%s', (_, more, message) => {
    const [code, said, fix] = refusal(more) ?? []
    expect([code, said, fix]).toEqual(['R1165', expect.stringMatching(message), expect.any(String)])
    expect(said).toMatch(/^module "pipeline": the operation /)
  })
})
