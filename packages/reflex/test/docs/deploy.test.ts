import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { actions } from '../../src/cli/actions.ts'
import { readDuration } from '../../src/agents/duration.ts'
import { ServeMetrics } from '../../src/serve/metrics.ts'
import { linkedFolder } from './page.ts'

/** The Containerfile and the manifests for Kubernetes in packages/cluster/deploy, which docs/scaling.md describes. */

const root = resolve(import.meta.dirname, '../../../..')
const deploy = join(root, 'packages/cluster/deploy')
const folder = linkedFolder('deploy')

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string; readonly httpHeaders?: readonly { readonly name: string }[] }
}

interface Container {
  readonly name: string
  readonly args?: readonly string[]
  readonly env?: readonly { readonly valueFrom: { readonly secretKeyRef: { readonly name: string; readonly key: string } } }[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly startupProbe: Probe
  readonly readinessProbe: Probe
  readonly livenessProbe: Probe
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } }
}

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly stringData?: Readonly<Record<string, string>>
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: unknown }
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly containers: readonly [Container]
        readonly volumes: readonly { readonly secret?: { readonly items: readonly { readonly key: string }[] } }[]
      }
    }
    readonly selector: { readonly matchLabels: unknown }
    readonly scaleTargetRef: { readonly name: string }
    readonly metrics: readonly { readonly external: { readonly metric: { readonly name: string } } }[]
  }
}

const manifests = globSync('kubernetes/*.yaml', { cwd: deploy }).flatMap((file) =>
  parseAllDocuments(readFileSync(join(deploy, file), 'utf8')).map((document) => {
    expect(document.errors, file).toEqual([])
    return document.toJS() as Manifest
  }),
)
const ofKind = (kind: string): readonly Manifest[] => manifests.filter((manifest) => manifest.kind === kind)
const deployments = ofKind('Deployment').map((manifest) => [manifest.metadata.name, manifest.spec] as const)

/** Returns the value of a flag of a command. */
function valueOf(words: readonly string[], flag: string): string | undefined {
  const at = words.indexOf(flag)
  return at < 0 ? undefined : words[at + 1]
}

/** Returns the flags of a command that its verb does not have. */
function unknownFlags([name = '', ...words]: readonly string[]): readonly string[] {
  const verb = actions.find((one) => one.name === name)
  const known = new Set(verb?.options.flatMap(({ long, short }) => [long, short]))
  return words.filter((word) => word.startsWith('-') && !known.has(word))
}

test('there is a deployment of workers and one of servers, with what both need', () => {
  expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()).toEqual([
    'Deployment reflex-serve',
    'Deployment reflex-worker',
    'HorizontalPodAutoscaler reflex-worker',
    'PodDisruptionBudget reflex-serve',
    'PodDisruptionBudget reflex-worker',
    'Secret reflex',
    'Service reflex',
  ])
})

describe.each(deployments)('%s', (_, { template, selector }) => {
  const { spec, metadata } = template
  const [container] = spec.containers
  const { args = [], ports } = container

  test('runs a command with flags that are there', () => {
    expect(actions.map(({ name }) => name)).toContain(args[0])
    expect(unknownFlags(args)).toEqual([])
  })

  test('has time to drain: before the stop, for effects, and a margin', () => {
    const grace = readDuration(valueOf(args, '--grace') ?? '') ?? Number.NaN
    const [, pause = '0'] = container.lifecycle?.preStop.exec.command ?? []
    expect(spec.terminationGracePeriodSeconds * 1000).toBeGreaterThanOrEqual(grace + Number(pause) * 1000 + 10_000)
  })

  test('is asked at a port on which it answers, under a name that it has', () => {
    const [port] = ports
    expect(valueOf(args, '--health') ?? valueOf(args, '--port')).toBe(String(port?.containerPort))
    const { startupProbe, readinessProbe, livenessProbe } = container
    expect([startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => [httpGet.path, httpGet.port])).toEqual([
      ['/readyz', port?.name],
      ['/readyz', port?.name],
      ['/healthz', port?.name],
    ])
    // A server refuses the address of the pod as a name.
    if (args[0] === 'serve')
      for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe])
        expect(httpGet.httpHeaders).toEqual([{ name: 'Host', value: 'localhost' }])
  })

  test('selects its own pods, and reads secrets that are there', () => {
    expect(selector.matchLabels).toEqual(metadata.labels)
    const secret = ofKind('Secret')[0]?.stringData ?? {}
    const keys = [
      ...(container.env ?? []).map(({ valueFrom }) => valueFrom.secretKeyRef.key),
      ...spec.volumes.flatMap((volume) => volume.secret?.items.map(({ key }) => key) ?? []),
    ]
    expect(keys.filter((key) => !Object.hasOwn(secret, key))).toEqual([])
    expect(JSON.parse(secret['tokens.json'] ?? '')).toHaveProperty('tokens')
  })
})

test('the number of workers follows a metric that a server prints', () => {
  const [scaler] = ofKind('HorizontalPodAutoscaler')
  expect(deployments.map(([name]) => name)).toContain(scaler?.spec.scaleTargetRef.name)
  const printed = new ServeMetrics().text()
  const names = scaler?.spec.metrics.map(({ external }) => external.metric.name) ?? []
  expect(names.filter((name) => !printed.includes(`# TYPE ${name} gauge`))).toEqual([])
  expect(names).toEqual(['reflex_cluster_turns'])
})

test('the image runs a worker, and answers probes on the port that it exposes', () => {
  const text = readFileSync(join(deploy, 'Containerfile'), 'utf8').replaceAll('\\\n', ' ')
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const instructions = lines.map((line) => [/^[A-Z]+/.exec(line)?.[0], line.replace(/^[A-Z]+ +/, '')] as const)
  expect(new Set(instructions.map(([name]) => name))).toEqual(
    new Set(['FROM', 'RUN', 'WORKDIR', 'COPY', 'USER', 'ENV', 'EXPOSE', 'ENTRYPOINT', 'CMD']),
  )
  const last = (name: string): string => instructions.findLast(([one]) => one === name)?.[1] ?? ''
  const command = JSON.parse(last('CMD')) as string[]
  expect(unknownFlags(command)).toEqual([])
  expect(valueOf(command, '--health')).toBe(last('EXPOSE'))
  expect(JSON.parse(last('ENTRYPOINT'))).toContain('/app/node_modules/.bin/reflex')
  expect(last('USER')).toBe('node')
})

/** Where the schemas of Kubernetes have the type of a manifest. */
const MODULES: Readonly<Record<string, string>> = {
  'apps/v1': 'kubernetes-models/apps/v1',
  'policy/v1': 'kubernetes-models/policy/v1',
  'autoscaling/v2': 'kubernetes-models/autoscaling/v2',
  v1: 'kubernetes-models/v1',
}

const noSchemas = !existsSync(join(root, 'node_modules/kubernetes-models'))

test.skipIf(noSchemas)('every manifest has the values that the schemas of Kubernetes allow (needs kubernetes-models)', async () => {
  for (const manifest of manifests) {
    const module = (await import(MODULES[manifest.apiVersion] ?? '')) as Record<string, new (data: Manifest) => { validate(): void }>
    const Model = module[manifest.kind]
    expect(Model, manifest.kind).toBeDefined()
    if (Model === undefined) continue
    expect(() => new Model(manifest).validate(), manifest.metadata.name).not.toThrow()
    expect(() => new Model({ ...manifest, metadata: { name: 4 as unknown as string } }).validate()).toThrow(/must be string/)
  }
})

test.skipIf(noSchemas)('no manifest has a field that Kubernetes does not know (needs kubernetes-models)', () => {
  const check = (name: string, list: readonly object[]): string => {
    const typed = (list as readonly Manifest[]).map(
      (manifest, i) =>
        `import type { I${manifest.kind} as T${i} } from '${MODULES[manifest.apiVersion]}'\nexport const m${i}: T${i} = ${JSON.stringify(manifest)}`,
    )
    writeFileSync(join(folder(), name), `${typed.join('\n')}\n`)
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--pretty',
      'false',
      '--target',
      'es2024',
      '--module',
      'nodenext',
      '--types',
      '',
    ]
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    return spawnSync(process.execPath, [tsc, ...options, name], { cwd: folder(), encoding: 'utf8' }).stdout
  }
  expect(check('manifests.ts', manifests)).toBe('')
  const [, { template }] = deployments[0] ?? ['', { template: undefined }]
  const mistyped = { ...ofKind('Deployment')[0], spec: { template, selector: {}, replica: 2 } }
  expect(check('mistyped.ts', [mistyped])).toMatch(/TS2353: .*replica/)
})
