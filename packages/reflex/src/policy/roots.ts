import type { Pattern } from './capability.ts'

/** The second steps of roots that have a fixed set. */
const SECOND_STEPS: Readonly<Record<string, readonly string[]>> = { fs: ['read', 'write', 'autorun'], shell: ['exec'], human: ['ask'] }

/** Roots whose capabilities have one step after them. */
const SINGLE_STEP_ROOTS: readonly string[] = ['net', 'tool']

/** The first steps of the capabilities that Reflex itself uses. */
const ROOTS: readonly string[] = [
  'action',
  'eval',
  'fs',
  'function',
  'human',
  'memory',
  'net',
  'orchestrator',
  'secret',
  'shell',
  'skill',
  'tool',
]

/** Returns the reason why a grant or a denial can never match; undefined if it can. `extra`: additional roots. */
export function mismatchReason({ steps }: Pattern, extra: readonly string[] = []): string | undefined {
  const [root, second, ...more] = steps
  if (typeof root !== 'string' || extra.includes(root)) return undefined
  if (!ROOTS.includes(root)) return `nothing asks about ${root}; it can begin with ${[...ROOTS, ...extra].join(', ')}`
  const known = SECOND_STEPS[root]
  if (known !== undefined && typeof second === 'string' && !known.includes(second))
    return `after ${root} comes ${known.join(' or ')}, not ${second}`
  if (SINGLE_STEP_ROOTS.includes(root) && (second === undefined || more.some((step) => step !== steps.at(-1) || typeof step === 'string')))
    return root === 'net' ? 'net has one step behind it, a host without a port' : 'tool has one step behind it, the name of a tool'
  return undefined
}

/** Returns the first steps of capabilities that are not built in. */
export function extraRoots(capabilities: readonly string[]): readonly string[] {
  const roots = capabilities.map((text) => /^arbor:\/\/([^/]+)/.exec(text)?.[1] ?? '')
  return [...new Set(roots)].filter((root) => root !== '' && !ROOTS.includes(root))
}
