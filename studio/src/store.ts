// store.ts: a value that views can watch. One store holds what all views share: session.ts.
import { useSyncExternalStore } from 'react'

export interface Store<T> {
  get(): T
  set(change: Partial<T> | ((now: T) => Partial<T>)): void
  watch(listener: () => void): () => void
}

export function makeStore<T extends object>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(change) {
      value = { ...value, ...(typeof change === 'function' ? change(value) : change) }
      for (const listener of [...listeners]) listener()
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }
}

/** A part of a store; select must return the same object while nothing changed. */
export function useStore<T extends object, R>(store: Store<T>, select: (value: T) => R): R {
  return useSyncExternalStore(store.watch, () => select(store.get()))
}
