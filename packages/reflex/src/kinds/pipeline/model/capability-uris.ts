const SCHEME = 'arbor://'

/** Builds a capability from escaped steps. Skips empty steps and accepts any text. */
export function uri(prefix: string, ...steps: readonly string[]): string {
  return [`${SCHEME}${prefix}`, ...steps.filter((step) => step !== '').map(encode)].join('/')
}

/**
 * Returns the capability for a file, as far as it is known before a run. An absolute path is written out. A path relative to
 * the work folder or the home folder begins with the step `{work}` or `{home}`, which the caller replaces by the folder's path.
 * Without a path (the context names it at run time), returns only the prefix. Resolves steps `..` as far as possible; those
 * that leave the folder stay, so no grant covers them.
 */
export function fileUri(access: 'read' | 'write', path: string | undefined): string {
  const prefix = `${SCHEME}fs/${access}`
  const text = path?.trim() ?? ''
  if (text === '') return prefix
  const home = /^(~|\$HOME|\$\{HOME\})(?=$|[\\/])/.exec(text)?.[0]
  const root = home !== undefined ? ['{home}'] : /^[\\/]/.test(text) ? [] : ['{work}']
  return [prefix, ...root, ...stepsOf(text.slice(home?.length ?? 0)).map(encode)].join('/')
}

/** Returns the capability for the host of an address, or only the prefix if the address cannot be parsed. */
export function netUri(address: string | undefined): string {
  const host = address === undefined ? undefined : URL.parse(address.trim())?.hostname
  return uri('net', host ?? '')
}

function stepsOf(path: string): string[] {
  const steps: string[] = []
  for (const step of path.split(/[\\/]/)) {
    if (step === '' || step === '.') continue
    if (step === '..' && steps.length > 0 && steps.at(-1) !== '..') steps.pop()
    else steps.push(step)
  }
  return steps
}

/** Percent-encodes one step, including the star: only grants have stars. */
function encode(step: string): string {
  return encodeURIComponent(step.toWellFormed()).replaceAll('*', '%2A')
}

/** Capabilities that several operations need. */
export const MODEL = uri('orchestrator/execute/llm_query')
export const SHELL = uri('shell/exec')
export const INVOKE = uri('orchestrator/invoke')
export const DISPATCH = uri('orchestrator/map/dispatch')
export const ASK = uri('human/ask')

/** Returns the capabilities to read and write a file. Empty without a path. */
export function keptIn(path: string | undefined): readonly string[] {
  return path === undefined ? [] : [fileUri('read', path), fileUri('write', path)]
}
