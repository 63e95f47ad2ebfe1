import { Fault, faultData, type FaultDetails } from '../kernel/index.ts'

/** The access to a model, as far as a failure can be fixed there. */
export interface Access {
  /** The variable that contains the key. */
  readonly key: string
  /** True if a key was set and sent. */
  readonly isKeySent: boolean
  /** The variable or option that sets the address; undefined if the provider has only one address. */
  readonly address: string | undefined
}

/** The advice for an answer that broke off after its start. */
export const STREAM_CUT_ADVICE = 'check for a proxy that cuts long answers'

const OTHER_MODEL_ADVICE = '`reflex resume RUN --model NAME` continues with another model'

/** Returns a fault with further details. */
export function withDetails(fault: Fault, more: Pick<FaultDetails, 'fix' | 'data'>): Fault {
  const { code, message, verdict, ...details } = faultData(fault)
  return new Fault(code, message, verdict, { ...details, ...more })
}

/**
 * Returns the fault of a model with advice for a person, unless it has some. `access` is undefined for a model of the
 * application.
 */
export function withAdvice(fault: Fault, access: Access | undefined): Fault {
  if (fault.fix !== undefined) return fault
  const fix = adviceFor(fault, access)
  return fix === undefined ? fault : withDetails(fault, { fix })
}

/** Returns a fault with the number of failed tries added to its advice. */
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
      return 'show the model less (`show` and `budget` of the node), or name a model with a longer context'
    case 'R4009':
      return 'name a `fallback` model, or raise the quota'
    case 'R4010':
      return 'if this lasts, name a `fallback` model'
    case 'R4011':
      return connectionAdvice(access)
    case 'R4012':
      return access?.address === undefined ? 'if this lasts, name another model' : `check ${access.address}: an address usually ends in /v1`
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
