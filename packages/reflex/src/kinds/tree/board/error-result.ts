import type { Fault } from '../../../kernel/index.ts'

/** The result of an operation that reports an error instead of throwing it. */
export class ErrorResult<Value> {
  readonly value: Value | undefined
  /** Undefined for a success. */
  readonly error: Fault | undefined

  private constructor(value: Value | undefined, error: Fault | undefined) {
    this.value = value
    this.error = error
    Object.freeze(this)
  }

  static ok<Value>(value: Value): ErrorResult<Value> {
    return new ErrorResult(value, undefined)
  }

  static failure(error: Fault): ErrorResult<never> {
    return new ErrorResult<never>(undefined, error)
  }

  get success(): boolean {
    return this.error === undefined
  }

  get isOk(): boolean {
    return this.success
  }

  get isError(): boolean {
    return !this.success
  }

  /** Returns the value, or throws the error. */
  unwrap(): Value {
    if (this.error !== undefined) throw this.error
    return this.value as Value
  }

  /** Returns the value, or another value in place of an error. */
  unwrapOr(fallback: Value): Value {
    return this.error === undefined ? (this.value as Value) : fallback
  }
}
