import { Fault, faultData, type FaultDetails } from '../kernel/index.ts'

/** How a model is reached, as far as that is where a failure is mended. */
export interface Access {
  /** The variable that holds the key. */
  readonly key: string
  /** A key was there, and was sent. */
  readonly isKeySent: boolean
  /** What names the address; undefined where the provider has but one. */
  readonly address: string | undefined
}

/** For an answer that had begun. */
export const STREAM_CUT_ADVICE = 'look whether a proxy in between ends long answers'

const OTHER_MODEL_ADVICE = '`reflex resume RUN --model NAME` goes on with another model'

/** A fault with more said about it. */
export function withDetails(fault: Fault, more: Pick<FaultDetails, 'fix' | 'data'>): Fault {
  const { code, message, verdict, ...details } = faultData(fault)
  return new Fault(code, message, verdict, { ...details, ...more })
}

/** The fault of a model with what a person can do about it, unless that has been said. `access` is unknown for an application's own model. */
export function withAdvice(fault: Fault, access: Access | undefined): Fault {
  if (fault.fix !== undefined) return fault
  const fix = adviceFor(fault, access)
  return fix === undefined ? fault : withDetails(fault, { fix })
}

/** What `fault` says of itself, and that a model was asked so many times in vain. */
export function withRetryAdvice(fault: Fault, times: number): Fault {
  const retryAdvice = `it was tried ${times === 1 ? 'once' : `${times} times`}; \`reflex resume RUN\` tries again`
  return withDetails(fault, { fix: fault.fix === undefined ? retryAdvice : `${fault.fix}; ${retryAdvice}` })
}

function adviceFor({ code, data }: Fault, access: Access | undefined): string | undefined {
  switch (code) {
    case 'R4004':
      return access === undefined ? 'give the package of the provider its key' : `set ${access.key}`
    case 'R4006':
      return keyAdvice(data?.['status'], access)
    case 'R4007':
      return requestAdvice(data?.['status'], access)
    case 'R4008':
      return 'show the model less (`show` and `budget` of the node), or name one that holds more'
    case 'R4009':
      return 'name a `fallback` model, or raise the quota'
    case 'R4010':
      return 'name a `fallback` model, if this lasts'
    case 'R4011':
      return connectionAdvice(access)
    case 'R4012':
      return access?.address === undefined ? 'name another model, if this lasts' : `check ${access.address}: an address usually ends in /v1`
    case 'R4014':
      return 'change the prompt, or name another model'
    default:
      return undefined
  }
}

function keyAdvice(status: unknown, access: Access | undefined): string {
  if (access === undefined) return 'check the key that the application gave to the package of the provider'
  if (!access.isKeySent) return `set ${access.key}; no key was sent`
  return status === 403
    ? `check what the key in ${access.key} may use, or name another model`
    : `set ${access.key} to a key that is valid; the one in it was refused`
}

function requestAdvice(status: unknown, access: Access | undefined): string {
  if (status !== 404) return `change what the message names; ${OTHER_MODEL_ADVICE}`
  const address = access?.address === undefined ? '' : `, and ${access.address}: an address usually ends in /v1`
  return `check the name of the model${address}; ${OTHER_MODEL_ADVICE}`
}

function connectionAdvice(access: Access | undefined): string {
  if (access?.address === undefined) return 'check the connection to the network'
  return `is the server running? its address is that of ${access.address}`
}
